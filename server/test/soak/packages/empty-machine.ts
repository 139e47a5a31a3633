import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { freePort } from "../../outside/free-port.ts";
import { until } from "../../world/until.ts";

type Ended = { code: number | null; output: string; ms: number };
type Running = { output: () => string; stop: () => Promise<void> };

/** A machine on which Millrace was never installed: an empty folder, an empty home, an empty npm cache. */
export type EmptyMachine = {
  folder: string;
  url: string;
  run: (command: string, cwd?: string) => Promise<Ended>;
  /** Starts a long-running program, and waits until its output matches `sign`. */
  start: (command: string, sign: RegExp, cwd?: string) => Promise<Running>;
  remove: () => void;
};

/** An ordinary user, also when the tests run as root: PostgreSQL is then unpacked into the empty home. */
const USER = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

export async function prepareMachine(registry: string): Promise<EmptyMachine> {
  const folder = mkdtempSync("/tmp/millrace-desk-"); // short: it will contain a socket
  const started: ChildProcess[] = [];
  chmodSync(folder, 0o755);
  mkdirSync(join(folder, "home"));
  if (USER.uid !== undefined) for (const each of [folder, join(folder, "home")]) chownSync(each, USER.uid, USER.gid);
  const port = await freePort();
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: join(folder, "home"),
    PORT: String(port),
    WORKER_PORT: String(await freePort()),
    npm_config_registry: registry,
    npm_config_cache: join(folder, "home", ".npm"),
    npm_config_update_notifier: "false",
    npm_config_fund: "false",
    NO_COLOR: "1",
  };
  const spawnShell = (command: string, cwd: string) => {
    const child = spawn("sh", ["-c", command], { cwd, env, detached: true, ...USER });
    started.push(child);
    return { child, output: collect(child) };
  };
  return {
    folder,
    url: `http://127.0.0.1:${port}`,
    run: async (command, cwd = folder) => {
      const startedAt = performance.now();
      const { child, output } = spawnShell(command, cwd);
      child.stdin?.end();
      const [code] = await once(child, "close");
      return { code, output: output(), ms: performance.now() - startedAt };
    },
    start: async (command, sign, cwd = folder) => {
      const { child, output } = spawnShell(command, cwd);
      const closed = once(child, "close");
      await until(`${command} to print ${sign}`, 240_000, () => {
        if (child.exitCode !== null) throw new Error(`${command} exited:\n${output()}`);
        return sign.test(output());
      });
      const stop = async () => {
        signal(child, "SIGINT");
        await closed;
      };
      onTestFinished(stop);
      return { output, stop };
    },
    remove: () => {
      for (const child of started) signal(child, "SIGKILL");
      rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
    },
  };
}

/** To all its children too, like a terminal. */
function signal({ pid, exitCode, signalCode }: ChildProcess, name: NodeJS.Signals): void {
  if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, name);
}

function collect({ stdout, stderr }: ChildProcess): () => string {
  let text = "";
  for (const stream of [stdout, stderr]) {
    stream?.setEncoding("utf8").on("data", (part) => {
      text += part;
    });
  }
  return () => text;
}
