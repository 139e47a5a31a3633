import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { buildServer } from "../tools/build-server.mjs";

const MAX_STOP_MS = 10_000;

/** SQL for the project of the first key. The runs and waits of the demo project are not counted. */
export const OURS = "(select id from projects where slug = 'main')";

/**
 * The settings that docs/operate/operations.md recommends for a busy instance, since every system runs with its fastest
 * settings.
 */
export const FOR_BUSY = ["--max-semi-space-size=64"];

/**
 * Starts a service for a benchmark: embedded database, limits off, durable as in production. Built here and not by
 * `millrace dev`, which would also update node_modules that other processes may be using.
 */
export async function startMillrace({ dataDir, env = {}, node = [] }) {
  const child = spawn(process.execPath, [...node, ...profiling(), await buildServer(), "dev"], {
    env: { ...process.env, MILLRACE_DATA_DIR: dataDir, PORT: "0", LOG_LEVEL: "error", ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill); // the supervisor then stops the database
  let output = "";
  child.stdout.on("data", (chunk) => {
    output += chunk;
  });
  const url = await waitFor(() => /API {8}(http\S+)\/v1/.exec(output)?.[1], child);
  const key = /API key {4}(svc_\w+)/.exec(output)?.[1];
  // Its runs and its webhook subscription, for which the changelog is read all the time, are not what is measured.
  await fetch(`${url}/demo`, { method: "DELETE" });
  return {
    url,
    apiKey: key,
    headers: { authorization: `Bearer ${key}` },
    pid: child.pid,
    stop: async () => {
      const impatience = setTimeout(kill, MAX_STOP_MS);
      child.kill("SIGINT");
      if (child.exitCode === null) await once(child, "exit");
      clearTimeout(impatience);
    },
  };
}

/** Further instances on the database of a running service, each in a data directory with the same secrets. */
export async function startMoreInstances({ dataDir, count, node }) {
  const { host, port, user, database } = connectionTo(dataDir);
  const DATABASE_URL = `postgres://${user}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`;
  const started = [];
  while (started.length < count) {
    const own = newDataDir();
    copyFileSync(join(dataDir, "secrets.json"), join(own, "secrets.json"));
    started.push(await startMillrace({ dataDir: own, env: { DATABASE_URL }, node }));
  }
  return started;
}

/** With BENCH_PROFILE=<folder> the service writes a CPU profile there. */
function profiling() {
  const folder = process.env.BENCH_PROFILE;
  return folder ? ["--cpu-prof", `--cpu-prof-dir=${folder}`] : [];
}

async function waitFor(find, child) {
  for (let tries = 0; tries < 2_400; tries++) {
    const found = find();
    if (found) return found;
    if (child.exitCode !== null) throw new Error(`millrace exited with ${child.exitCode}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("millrace did not start");
}

/** A data directory that is deleted with our process. If we are root, PostgreSQL's own user can reach it. */
export function newDataDir() {
  const folder = mkdtempSync(join(tmpdir(), "millrace-bench-"));
  chmodSync(folder, 0o755);
  process.once("exit", () => {
    for (const path of [folder, socketDirOf(folder)]) {
      rmSync(path, { recursive: true, force: true, maxRetries: 40, retryDelay: 50 }); // the database may still be stopping
    }
  });
  // Without a handler, a signal would end the process before the `exit` event; so would a second signal, which
  // `run.mjs` forwards.
  for (const signal of ["SIGTERM", "SIGHUP", "SIGINT"]) process.on(signal, () => process.exit(1));
  return folder;
}

/** The socket directory of a service's database, which remains after the database stops. */
function socketDirOf(dataDir) {
  const hash = createHash("sha256").update(join(dataDir, "postgres")).digest("hex");
  return join(tmpdir(), `millrace-${hash.slice(0, 12)}`);
}

/** A folder to keep with its seeded data, or a temporary one. */
export function dataDirOf(keep) {
  if (!keep) return newDataDir();
  const folder = resolve(keep);
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o755);
  return folder;
}

/** Connection to the database of a running service, from its lock file. */
export function connectionTo(dataDir) {
  const [, , , port, host] = readLockFile(dataDir);
  return { host, port: Number(port), user: "millrace", database: "millrace" };
}

/** Process id of the postmaster. */
export function postmasterOf(dataDir) {
  return Number(readLockFile(dataDir)[0]);
}

function readLockFile(dataDir) {
  return readFileSync(join(dataDir, "postgres", "postmaster.pid"), "utf8").split("\n");
}
