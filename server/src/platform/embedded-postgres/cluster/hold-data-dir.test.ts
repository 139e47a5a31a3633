import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { buildService, runService } from "../../../../test/embedded-postgres/service-process.ts";
import { temporaryDir } from "../../../../test/embedded-postgres/temporary-dir.ts";
import { EmbeddedPostgresError } from "../embedded-postgres-error.ts";
import { processStart } from "../running-process.ts";
import { holdDataDir } from "./hold-data-dir.ts";

let service: { file: string; remove: () => void };
beforeAll(async () => {
  service = await buildService();
});
afterAll(() => service.remove());

describe("holdDataDir", () => {
  test("creates the directory, which others may search only when the server runs as another user", async () => {
    const dataDir = join(temporaryDir(), "deep", "data");
    await holdDataDir(dataDir, { mode: "dev", port: 4000 });

    expect(statSync(dataDir).mode & 0o777).toBe(process.getuid?.() === 0 ? 0o711 : 0o700);
  });

  test("reports the path and the reason when no directory can be created", async () => {
    const file = join(temporaryDir(), "file");
    writeFileSync(file, "");
    // Nothing can be created in /proc, where Node's own recursive mkdir loops forever.
    const nowhere = process.platform === "linux" ? ["/proc/data", "/proc/deep/data"] : [];
    for (const dataDir of [file, join(file, "data"), join(temporaryDir(), "a".repeat(300)), ...nowhere]) {
      const made = holdDataDir(dataDir, { mode: "dev", port: 4000 });
      await expect(made).rejects.toThrow(EmbeddedPostgresError);
      await expect(made).rejects.toThrow(`The data directory ${dataDir} cannot be created: E`);
    }
  });

  test.runIf(process.platform === "linux")("reports the path and the reason when no file can be written", async () => {
    const held = holdDataDir("/proc", { mode: "dev", port: 4000 });
    await expect(held).rejects.toThrow(EmbeddedPostgresError);
    await expect(held).rejects.toThrow("The data directory /proc cannot be written: E");
  });

  test("refuses a second holder, reporting pid and port of the first, and admits it after the release", async () => {
    const dataDir = temporaryDir();
    const { release } = await holdDataDir(dataDir, { mode: "serve", port: 4321 });

    const second = holdDataDir(dataDir, { mode: "dev", port: 4000 });
    await expect(second).rejects.toThrow(EmbeddedPostgresError);
    await expect(second).rejects.toThrow(`millrace serve (pid ${process.pid}, port 4321) already uses`);

    release();
    expect(readdirSync(dataDir)).toEqual([]);
    await holdDataDir(dataDir, { mode: "dev", port: 4000 });
  });

  test("refuses while another process holds it, and takes over after that was killed", async () => {
    const dataDir = temporaryDir();
    const { child, next } = hold(dataDir);
    expect(await next()).toEqual({ kind: "held", pid: child.pid });
    await expect(holdDataDir(dataDir, { mode: "dev", port: 1 })).rejects.toThrow(`pid ${child.pid}, port 4000`);

    child.kill("SIGKILL");
    await once(child, "exit");
    await holdDataDir(dataDir, { mode: "dev", port: 1 });

    expect(holderOf(dataDir).pid).toBe(process.pid);
    expect(readdirSync(dataDir)).toEqual(["held-by.json"]);
  });

  test("takes over when the holder's pid belongs to a later process", async () => {
    const dataDir = temporaryDir();
    const outsider = spawn("sleep", ["60"]);
    onTestFinished(() => void outsider.kill("SIGKILL"));
    writeHolder(dataDir, JSON.stringify({ pid: outsider.pid, process_start: "an earlier one", token: "t" }));

    await holdDataDir(dataDir, { mode: "dev", port: 1 });

    expect(holderOf(dataDir).pid).toBe(process.pid);
  });

  test("takes over a file that a power cut left empty", async () => {
    const dataDir = temporaryDir();
    writeHolder(dataDir, "");

    await holdDataDir(dataDir, { mode: "dev", port: 1 });

    expect(holderOf(dataDir).process_start).toBe(processStart(process.pid));
  });

  test("takes over from a process that died while it took over", async () => {
    const dataDir = temporaryDir();
    writeHolder(dataDir, JSON.stringify({ pid: 0, token: "first" }));
    writeFileSync(join(dataDir, "held-by.json.first"), JSON.stringify({ pid: 0, token: "second" }));

    await holdDataDir(dataDir, { mode: "dev", port: 1 });

    expect(readdirSync(dataDir)).toEqual(["held-by.json"]);
  });

  test.each(["free", "dead"])("of five concurrent processes, one gets a %s directory", async (state) => {
    const dataDir = temporaryDir();
    if (state === "dead") writeHolder(dataDir, JSON.stringify({ pid: 0, token: "dead" }));

    const messages = await Promise.all(Array.from({ length: 5 }, () => hold(dataDir).next()));

    expect(messages.filter((line) => line?.kind === "held")).toHaveLength(1);
    expect(messages.filter((line) => line?.kind === "refused")).toHaveLength(4);
  });

  test("of fifty attempts in one process to replace a dead holder, one succeeds", async () => {
    const dataDir = temporaryDir();
    writeHolder(dataDir, JSON.stringify({ pid: 0, token: "dead" }));

    const tries = Array.from({ length: 50 }, (_, port) => holdDataDir(dataDir, { mode: "dev", port }));
    const settled = await Promise.allSettled(tries);

    expect(settled.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(readdirSync(dataDir)).toEqual(["held-by.json"]);
  });
});

function hold(dataDir: string) {
  const started = runService(service.file, { task: "hold", dataDir });
  onTestFinished(() => void started.child.kill("SIGKILL"));
  return started;
}

function writeHolder(dataDir: string, text: string): void {
  writeFileSync(join(dataDir, "held-by.json"), text);
}

function holderOf(dataDir: string) {
  return JSON.parse(readFileSync(join(dataDir, "held-by.json"), "utf8"));
}
