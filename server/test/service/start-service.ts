import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, onTestFinished, vi } from "vitest";
import { socketDirFor } from "../../src/platform/embedded-postgres/endpoint.ts";
import { bundleForTests } from "../world/bundle-for-tests.ts";
import { type Client, makeClient } from "../world/client.ts";
import type { TestConnection } from "../world/database.ts";
import { ENCRYPTION_KEY } from "../world/encryption-key.ts";
import { until } from "../world/until.ts";

export const ROOT = resolve(import.meta.dirname, "../../..");

/** The settings that `serve` requires. Tests check that their values never appear in the output. */
export const SECRETS = {
  INTERNAL_SECRET: "internal-secret-of-a-process-0123456789",
  JWT_SIGNING_KEY: "jwt-signing-key-of-a-process-0123456789",
  ENCRYPTION_KEY,
};

export type StartOptions = {
  env?: Record<string, string | undefined>;
  /**
   * The checkout whose `tools/millrace.mjs` is run, as users do; otherwise the server alone, built once for the test
   * run.
   */
  root?: string;
  /** The server of another build. */
  program?: string;
  cwd?: string;
  as?: { uid: number; gid: number };
  /** Stopped at the end of the file, although a test started it. */
  outlivesTest?: boolean;
};

type Exit = { code: number | null; signal: NodeJS.Signals | null };

export type ServiceProcess = {
  pid: number;
  /** All output of both streams so far. */
  output: () => string;
  exited: Promise<Exit>;
  /** Signals the whole process group, as a terminal does. */
  signal: (signal: NodeJS.Signals) => void;
  /** Sends SIGTERM to the process alone, as a supervisor does, and waits for its end. */
  stop: () => Promise<Exit>;
  /** kill -9 of the process alone. */
  kill: () => Promise<Exit>;
};

export type ReadyService = ServiceProcess & { url: string; port: number; admin: Client };

// Takes seconds at most on an idle machine; longer when other tests keep it busy.
const TIMEOUTS = { testTimeout: 180_000, hookTimeout: 120_000 };
const READY_WITHIN_MS = 110_000;

const SERVER = await bundleForTests("server/src/main.ts", "server/dist/main.js");
const atTheEndOfTheFile: (() => unknown)[] = [];

/** Call at the top of a test file: sets its timeouts, and stops the services that its hooks start. */
export function useServices(): void {
  vi.setConfig(TIMEOUTS);
  afterAll(async () => {
    for (const end of atTheEndOfTheFile.splice(0)) await end();
    vi.resetConfig();
  });
}

/** Runs `millrace <command>` as a separate process; stopped after the test, or after the file if a hook started it. */
export function runService(command: string, options: StartOptions = {}): ServiceProcess {
  const { env = {}, root, cwd = "/", as, outlivesTest = false } = options;
  const program = options.program ?? (root === undefined ? SERVER : join(root, "tools", "millrace.mjs"));
  const child = spawn(process.execPath, [program, command], {
    cwd,
    env: { PATH: process.env.PATH, HOME: "/nonexistent", HOST: "127.0.0.1", PORT: "0", ...env },
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    ...as,
  });
  const output = collectOutput(child);
  const exited = new Promise<Exit>((resolve) => child.once("close", (code, signal) => resolve({ code, signal })));
  const pid = child.pid ?? 0;
  const signalTo = (target: number, signal: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) process.kill(target, signal);
  };
  const end = async () => {
    signalTo(-pid, "SIGKILL");
    await exited;
  };
  if (outlivesTest) atTheEndOfTheFile.unshift(end);
  else atTheEnd(end);
  const send = (signal: NodeJS.Signals) => {
    signalTo(pid, signal);
    return exited;
  };
  return {
    pid,
    output,
    exited,
    signal: (signal) => signalTo(-pid, signal),
    stop: () => send("SIGTERM"),
    kill: () => send("SIGKILL"),
  };
}

/** The same; returns once it reports that it is ready. */
export async function startService(command: "dev" | "serve", options: StartOptions = {}): Promise<ReadyService> {
  const service = runService(command, options);
  let ended: Exit | undefined;
  void service.exited.then((exit) => (ended = exit));
  const sign =
    command === "dev" ? / API {8}(http:\S+)\/v1[\s\S]*Stop .*\n/ : /"url":"(http:[^"]+)".*millrace is listening"\}\n/;
  const shown = await until(`millrace ${command} to be ready`, READY_WITHIN_MS, () => {
    if (ended) throw new Error(`it ended with ${JSON.stringify(ended)}:\n${service.output()}`);
    return sign.exec(service.output())?.[1];
  });
  const url = shown.replace("localhost", "127.0.0.1");
  const secret = options.env?.INTERNAL_SECRET ?? SECRETS.INTERNAL_SECRET;
  return { ...service, url, port: Number(new URL(url).port), admin: makeClient(url, { "x-internal-secret": secret }) };
}

/** Runs `serve` on a database of the test run. */
export function serveOn(connection: TestConnection, env: Record<string, string> = {}): Promise<ReadyService> {
  return startService("serve", { env: serveEnv(urlOf(connection), env) });
}

export function serveEnv(databaseUrl: string, env: Record<string, string> = {}): Record<string, string> {
  return { ...SECRETS, DATABASE_URL: databaseUrl, SHUTDOWN_GRACE_SECS: "3", ...env };
}

export function urlOf({ host, port, user, database }: TestConnection): string {
  return `postgres://${user}@localhost/${database}?host=${encodeURIComponent(host)}&port=${port}`;
}

/** A folder that the database's user can access, for a data directory or for a clone that contains one. */
export function temporaryDir(): string {
  const directory = mkdtempSync("/tmp/millrace-service-");
  chmodSync(directory, 0o755);
  atTheEnd(() => {
    for (const inside of ["postgres", "millrace/.millrace/postgres"]) removeSocketsOf(join(directory, inside));
    rmSync(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  });
  return directory;
}

/** The folder of a database's sockets remains after it stops. */
export function removeSocketsOf(clusterDir: string): void {
  rmSync(socketDirFor({ clusterDir, user: undefined }), { recursive: true, force: true });
}

/** The live processes started for a folder or working in it: the service, the supervisor, PostgreSQL. */
export function processesIn(directory: string): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => {
      const command = quietly(() => readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")) ?? "";
      const workplace = quietly(() => readlinkSync(`/proc/${pid}/cwd`)) ?? "";
      return command && (command.includes(directory) || workplace.startsWith(directory)) ? [`${pid} ${command}`] : [];
    });
}

/** Whether any process of a process group is alive. */
export function isGroupAlive(pid: number): boolean {
  return quietly(() => process.kill(-pid, 0)) !== undefined;
}

function collectOutput(child: ChildProcess): () => string {
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  return () => output;
}

/** After the test, or after the file for services started in a hook. */
function atTheEnd(end: () => unknown): void {
  try {
    onTestFinished(async () => void (await end()));
  } catch {
    atTheEndOfTheFile.unshift(end);
  }
}

function quietly<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
