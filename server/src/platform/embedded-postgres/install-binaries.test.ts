import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { buildService, runService } from "../../../test/embedded-postgres/service-process.ts";
import { temporaryDir } from "../../../test/embedded-postgres/temporary-dir.ts";
import { type BinaryPackage, findPackage } from "./find-package.ts";
import { installBinaries } from "./install-binaries.ts";

const NOBODY = { uid: 65_534, gid: 65_534 };

describe("installBinaries", () => {
  test("copies the package once, with its links, executable by any user", async () => {
    const from = { ...findPackage(), label: `test-${randomUUID()}` };
    const target = await install(from);
    const { ino } = statSync(join(target, "bin/postgres"));

    expect(readlinkSync(join(target, "lib/libpq.so.5"))).toMatch(/^libpq\.so\.5\./);
    expect(statSync(join(target, "lib")).mode & 0o777).toBe(0o755);
    expect(execFileSync(join(target, "bin/postgres"), ["--version"]).toString()).toContain("PostgreSQL");
    expect(await install(from)).toBe(target);
    expect(statSync(join(target, "bin/postgres")).ino).toBe(ino);
  });

  test("does not depend on the umask", async () => {
    const before = process.umask(0o077);
    onTestFinished(() => void process.umask(before));
    const target = await install(smallPackage());

    expect(statSync(target).mode & 0o777).toBe(0o755);
    expect(statSync(join(target, "bin/initdb")).mode & 0o777).toBe(0o755);
    expect(statSync(join(target, "lib/libpq.so.5.18")).mode & 0o777).toBe(0o644);
  });

  test("gives two concurrent copies each a complete result, and leaves nothing else", async () => {
    const from = smallPackage();
    const [one, two] = await Promise.all([install(from), install(from)]);

    expect(one).toBe(two);
    expect(lstatSync(join(one, "lib/libpq.so.5")).isSymbolicLink()).toBe(true);
    expect(readdirSync(dirname(one)).filter((name) => name.startsWith(basename(one)))).toEqual([basename(one)]);
  });

  test("replaces a copy that lost its content", async () => {
    const from = smallPackage();
    const target = await install(from);
    writeFileSync(join(target, "bin/postgres"), "");

    expect(await install(from)).toBe(target);
    expect(statSync(join(target, "bin/postgres")).size).toBe(statSync(join(from.nativeDir, "bin/postgres")).size);
  });
});

describe.runIf(process.getuid?.() === 0)("for an ordinary user", () => {
  test("uses the given cache directory", async () => {
    const cacheHome = temporaryDir();
    chownSync(cacheHome, NOBODY.uid, NOBODY.gid);
    const from = smallPackage();

    expect(await installAsNobody(cacheHome, from)).toBe(join(cacheHome, "millrace", `postgres-${from.label}`));
  });

  test("falls back to the temporary directory when that is not writable, or is writable by others", async () => {
    const closed = temporaryDir();
    const open = temporaryDir();
    mkdirSync(join(open, "millrace"));
    chmodSync(join(open, "millrace"), 0o777);

    for (const cacheHome of [closed, open]) {
      const directory = (await installAsNobody(cacheHome, smallPackage())) ?? "";
      onTestFinished(() => rmSync(directory, { recursive: true }));
      expect(dirname(directory)).toBe(`/tmp/millrace-cache-${NOBODY.uid}`);
    }
  });
});

async function installAsNobody(cacheHome: string, from: BinaryPackage): Promise<string | undefined> {
  const service = await buildService();
  onTestFinished(service.remove);
  const { child, next } = runService(service.file, { task: "install", cacheHome, from }, NOBODY);
  onTestFinished(() => void child.kill("SIGKILL"));
  return (await next())?.directory;
}

/** A package of the same shape, quick to copy; its label keeps its copy in the cache separate. */
function smallPackage(): BinaryPackage {
  const nativeDir = temporaryDir();
  for (const directory of ["bin", "lib"]) mkdirSync(join(nativeDir, directory));
  for (const program of ["postgres", "initdb"]) {
    writeFileSync(join(nativeDir, "bin", program), "#!/bin/sh\n", { mode: 0o755 });
  }
  writeFileSync(join(nativeDir, "lib/libpq.so.5.18"), "", { mode: 0o644 });
  const links = [{ source: "native/lib/libpq.so.5.18", target: "native/lib/libpq.so.5" }];
  writeFileSync(join(nativeDir, "pg-symlinks.json"), JSON.stringify(links));
  return { label: `test-${randomUUID()}`, nativeDir };
}

async function install(from: BinaryPackage): Promise<string> {
  const target = await installBinaries({ user: undefined }, from);
  onTestFinished(() => rmSync(target, { recursive: true, force: true }));
  return target;
}
