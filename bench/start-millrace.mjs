import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { buildServer } from "../tools/build-server.mjs";

const LONGEST_STOP_MS = 10_000;

/** In SQL: the project that the first key belongs to. Beside it stands the demo, whose runs and waits are not counted. */
export const OURS = "(select id from projects where slug = 'main')";

/** What docs/operations.md advises for a busy instance: where Millrace is compared, each has its quickest setting. */
export const FOR_BUSY = ["--max-semi-space-size=64"];

/**
 * A service of its own for a benchmark: embedded database, limits off, durable as in production.
 * Built here and not by `millrace dev`, which would also bring node_modules in line, perhaps below the feet of others.
 */
export async function startMillrace({ dataDir, env = {}, node = [] }) {
  const child = spawn(process.execPath, [...node, ...profiling(), await buildServer(), "dev"], {
    env: { ...process.env, MILLRACE_DATA_DIR: dataDir, PORT: "0", LOG_LEVEL: "error", ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill); // the database's keeper then stops the database
  let output = "";
  child.stdout.on("data", (chunk) => {
    output += chunk;
  });
  const url = await waitFor(() => /API {8}(http\S+)\/v1/.exec(output)?.[1], child);
  const key = /API key {4}(svc_\w+)/.exec(output)?.[1];
  return {
    url,
    headers: { authorization: `Bearer ${key}` },
    pid: child.pid,
    stop: async () => {
      const impatience = setTimeout(kill, LONGEST_STOP_MS);
      child.kill("SIGINT");
      if (child.exitCode === null) await once(child, "exit");
      clearTimeout(impatience);
    },
  };
}

/** With BENCH_PROFILE=<folder> the service leaves a CPU profile there. */
function profiling() {
  const folder = process.env.BENCH_PROFILE;
  return folder ? ["--cpu-prof", `--cpu-prof-dir=${folder}`] : [];
}

async function waitFor(find, child) {
  for (let tries = 0; tries < 600; tries++) {
    const found = find();
    if (found) return found;
    if (child.exitCode !== null) throw new Error(`millrace ended with ${child.exitCode}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("millrace did not start");
}

/** A directory for a benchmark's database, gone with our process. PostgreSQL's own user can reach it when we are root. */
export function newDataDir() {
  const folder = mkdtempSync(join(tmpdir(), "millrace-bench-"));
  chmodSync(folder, 0o755);
  process.once("exit", () => {
    for (const path of [folder, socketDirOf(folder)]) {
      rmSync(path, { recursive: true, force: true, maxRetries: 40, retryDelay: 50 }); // its database may be stopping
    }
  });
  // Without a handler a signal ends us before `exit` is told; so would a second one, which `run.mjs` passes on.
  for (const signal of ["SIGTERM", "SIGHUP", "SIGINT"]) process.on(signal, () => process.exit(1));
  return folder;
}

/** Where a service keeps the socket of its database: it stays when the database stops. */
function socketDirOf(dataDir) {
  const hash = createHash("sha256").update(join(dataDir, "postgres")).digest("hex");
  return join(tmpdir(), `millrace-${hash.slice(0, 12)}`);
}

/** A folder that stays, with what was seeded in it, or one for this time alone. */
export function dataDirOf(keep) {
  if (!keep) return newDataDir();
  const folder = resolve(keep);
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o755);
  return folder;
}

/** How to reach the database of a running service: as its own lock file says. */
export function connectionTo(dataDir) {
  const [, , , port, host] = readLockFile(dataDir);
  return { host, port: Number(port), user: "millrace", database: "millrace" };
}

/** The process id of that database's first process. */
export function postmasterOf(dataDir) {
  return Number(readLockFile(dataDir)[0]);
}

function readLockFile(dataDir) {
  return readFileSync(join(dataDir, "postgres", "postmaster.pid"), "utf8").split("\n");
}
