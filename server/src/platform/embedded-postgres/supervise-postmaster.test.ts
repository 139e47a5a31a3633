import { spawn } from "node:child_process";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import {
  buildService,
  runService,
  type ServiceMessage,
  type ServiceProcess,
} from "../../../test/embedded-postgres/service-process.ts";
import { temporaryDirForFile } from "../../../test/embedded-postgres/temporary-dir.ts";
import { sizeOf } from "../../../test/world/size.ts";
import { until } from "../../../test/world/until.ts";
import { findPostmaster } from "./postmaster.ts";
import { isRunning } from "./running-process.ts";
import { startEmbeddedPostgres } from "./start-embedded-postgres.ts";
import { isSupervised } from "./supervisor.ts";

const dataDir = join(temporaryDirForFile(), "data");
const clusterDir = join(dataDir, "postgres");
let service: { file: string; remove: () => void };
beforeAll(async () => {
  service = await buildService();
});
afterAll(() => service.remove());

describe("after kill -9 of the service", () => {
  test("the database stops, nothing remains, and an immediate restart finds everything committed", async () => {
    const { child, next } = startService();
    const { pid, url } = await started(next);
    const written = await writeUntilLost(url, () => child.kill("SIGKILL"));

    const again = await startHere();
    const rows = await query(again.url, "select count(*)::int as kept from written");

    expect(isRunning(pid)).toBe(false);
    expect(again.pid).not.toBe(pid);
    expect(rows[0]?.kept).toBeGreaterThanOrEqual(written);
  });

  test("no process remains, even without a restart", async () => {
    const { child, next } = startService();
    const { pid } = await started(next);

    child.kill("SIGKILL");

    await until("the server and its supervisor to end", 20_000, () => !(isRunning(pid) || isSupervised(clusterDir)));
  });
});

test("no process remains when the service was killed while starting the server", async () => {
  for (let round = 0; round < sizeOf(2, 5); round++) {
    const before = supervisorPid();
    const { child } = startService();
    await until("another supervisor", 20_000, () => ![0, before].includes(supervisorPid()));

    child.kill("SIGKILL");

    await until("the supervisor to end", 20_000, () => !isSupervised(clusterDir));
    expect(findPostmaster(clusterDir)).toBeUndefined();
  }
});

test("the server and its supervisor are in another session than the service, so that Ctrl-C does not reach them", async () => {
  const { child, next } = startService();
  const { pid } = await started(next);

  expect(sessionOf(pid)).toBe(supervisorPid());
  expect(sessionOf(supervisorPid())).toBe(supervisorPid());
  expect(sessionOf(child.pid)).not.toBe(supervisorPid());
});

test("a killed supervisor is replaced; the new one also stops the server of a killed service", async () => {
  const { child, next } = startService();
  const { pid } = await started(next);
  const first = supervisorPid();

  process.kill(first, "SIGKILL");
  await until("another supervisor", 20_000, () => ![0, first].includes(supervisorPid()) && isSupervised(clusterDir));
  expect(isRunning(pid)).toBe(true);

  child.kill("SIGKILL");
  await until("the server to end", 20_000, () => !isRunning(pid));
});

test("stop works after the supervisor was killed", async () => {
  const { pid, stop } = await startHere();

  process.kill(supervisorPid(), "SIGKILL");
  await stop();

  expect(isRunning(pid)).toBe(false);
});

test("a server without service and supervisor is adopted and supervised again", async () => {
  const { child, next } = startService();
  const { pid } = await started(next);
  child.kill("SIGSTOP");
  process.kill(supervisorPid(), "SIGKILL");
  child.kill("SIGKILL");
  await until("the supervisor to end", 20_000, () => !isSupervised(clusterDir));

  const adopted = await startHere();

  expect(adopted.pid).toBe(pid);
  expect(isSupervised(clusterDir)).toBe(true);
  expect(await query(adopted.url, "select 1 as one")).toEqual([{ one: 1 }]);
  await adopted.stop();
  expect(isRunning(pid)).toBe(false);
});

test("a killed server is reported, and the next start recovers", async () => {
  const database = await startHere();
  let exits = 0;
  database.onExit(() => {
    exits += 1;
  });

  process.kill(database.pid, "SIGKILL");
  await until("the exit to be reported", 20_000, () => exits === 1);

  const again = await startHere();
  expect(await query(again.url, "select 1 as one")).toEqual([{ one: 1 }]);
});

test("a pid file that names another program does not block the start", async () => {
  const { stop } = await startHere();
  await stop();
  // PostgreSQL itself only checks processes of its own user.
  const { uid, gid } = statSync(clusterDir);
  const outsider = spawn("sleep", ["60"], { uid, gid });
  onTestFinished(() => void outsider.kill("SIGKILL"));
  writeFileSync(join(clusterDir, "postmaster.pid"), `${outsider.pid}\n${clusterDir}\n1\n5432\n`);

  const again = await startHere();

  expect(await query(again.url, "select 1 as one")).toEqual([{ one: 1 }]);
});

function startService(): ServiceProcess {
  const started = runService(service.file, { task: "start", dataDir });
  onTestFinished(() => void started.child.kill("SIGKILL"));
  return started;
}

async function started(next: ServiceProcess["next"]): Promise<{ pid: number; url: string }> {
  let message: ServiceMessage | undefined = await next();
  while (message?.kind === "said") message = await next(); // progress messages
  if (message?.kind !== "started" || !message.pid || !message.url)
    throw new Error(`not started: ${JSON.stringify(message)}`);
  return { pid: message.pid, url: message.url };
}

async function startHere() {
  const database = await startEmbeddedPostgres({ dataDir, fsync: false, say: () => {} });
  onTestFinished(() => database.stop());
  return database;
}

/** Counts the rows acknowledged before the server was killed. */
async function writeUntilLost(url: string, kill: () => void): Promise<number> {
  const client = new Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  await client.query("create table written (n int)");
  let written = 0;
  try {
    for (;;) {
      await client.query("insert into written values ($1)", [written]);
      written += 1;
      if (written === 200) kill();
    }
  } catch {
    return written;
  }
}

async function query(url: string, text: string) {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

/** 0 while it is being written. */
function supervisorPid(): number {
  const file = join(clusterDir, "supervisor.pid");
  return existsSync(file) ? Number(readFileSync(file, "utf8")) : 0;
}

function sessionOf(pid: number | undefined): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[3]);
}
