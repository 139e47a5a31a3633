import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  processesIn,
  ROOT,
  removeSocketsOf,
  runService,
  startService,
  temporaryDir,
  useServices,
} from "../../service/start-service.ts";

useServices();

const NOBODY = { uid: 65534, gid: 65534 };
const isRoot = process.getuid?.() === 0;

describe("a fresh clone", () => {
  it("starts and stops as an ordinary user without a home directory, in a folder of that user", async () => {
    const clone = makeClone(join(temporaryDir(), "millrace"));
    if (isRoot) giveTo(clone, NOBODY);
    const as = isRoot ? { as: NOBODY } : {};
    const service = await startService("dev", { root: clone, cwd: clone, env: { HOME: undefined }, ...as });
    expect((await service.admin.get("/health/ready")).status).toBe(200);
    expect(existsSync(join(clone, ".millrace", "postgres"))).toBe(true);
    expect(await service.stop()).toEqual({ code: 0, signal: null });
    expect(processesIn(clone)).toEqual([]);
  });

  it("starts and stops below a folder that other users cannot access", async () => {
    const closed = join(temporaryDir(), "closed");
    mkdirSync(closed, { mode: 0o700 });
    const clone = makeClone(join(closed, "millrace"));
    onTestFinished(() => removeMovedDatabase(clone));
    const service = await startService("dev", { root: clone, cwd: clone });
    expect((await service.admin.get("/health/ready")).status).toBe(200);
    expect(await service.stop()).toEqual({ code: 0, signal: null });
    expect(processesIn(clone)).toEqual([]);
  });

  it("reports that it belongs to another user and cannot be built in", async () => {
    const clone = makeClone(join(temporaryDir(), "millrace"));
    const server = join(clone, "server");
    chmodSync(server, 0o555);
    const service = runService("dev", { root: clone, cwd: clone, ...(isRoot && { as: NOBODY }) });
    expect(await service.exited).toEqual({ code: 1, signal: null });
    chmodSync(server, 0o755);
    expect(service.output()).toContain("The build cannot be written (EACCES)");
    expect(service.output()).not.toMatch(/^ {4}at /m);
  });
});

/** All files that git knows or would add, with the packages of this checkout. */
function makeClone(clone: string): string {
  const files = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "-z"], { cwd: ROOT, encoding: "utf8" });
  for (const file of files.split("\0").filter((name) => name && existsSync(join(ROOT, name)))) {
    mkdirSync(dirname(join(clone, file)), { recursive: true });
    cpSync(join(ROOT, file), join(clone, file));
  }
  chmodSync(clone, 0o755);
  linkPackages(join(clone, "node_modules"));
  return clone;
}

/** Links to each package, and to the clone's own workspaces, as npm creates them. */
function linkPackages(folder: string): void {
  mkdirSync(join(folder, "@millrace"), { recursive: true });
  for (const name of readdirSync(join(ROOT, "node_modules"))) {
    if (name !== "@millrace") symlinkSync(join(ROOT, "node_modules", name), join(folder, name));
  }
  const { workspaces } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { workspaces: string[] };
  for (const name of workspaces) symlinkSync(`../../${name}`, join(folder, "@millrace", name));
}

function giveTo(path: string, user: { uid: number; gid: number }): void {
  lchownSync(path, user.uid, user.gid);
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const inside = join(path, entry.name);
    if (entry.isDirectory()) giveTo(inside, user);
    else lchownSync(inside, user.uid, user.gid);
  }
}

/** As root, the database of an inaccessible folder is stored elsewhere, where its user has access. */
function removeMovedDatabase(clone: string): void {
  const pointer = join(clone, ".millrace", "postgres-location");
  if (!existsSync(pointer)) return;
  const clusterDir = readFileSync(pointer, "utf8").trim();
  removeSocketsOf(clusterDir);
  rmSync(dirname(clusterDir), { recursive: true, force: true });
}
