import { execFile } from "node:child_process";
import { chmodSync, mkdtempSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { pino } from "pino";
import type { TestProject } from "vitest/node";
import { migrate } from "../../src/platform/database/migrate.ts";
import { removeDataDir } from "../../src/platform/embedded-postgres/cluster/remove-data-dir.ts";
import { removeLeftovers, SOCKET_DIRS } from "../../src/platform/embedded-postgres/cluster/remove-leftovers.ts";
import { startEmbeddedPostgres } from "../../src/platform/embedded-postgres/start-embedded-postgres.ts";
import { runSql, TEMPLATE, type TestConnection } from "./database.ts";
import { removeDeadServers } from "./remove-dead-servers.ts";
import { createWorldTemplate } from "./world-template.ts";

declare module "vitest" {
  interface ProvidedContext {
    postgres: TestConnection[];
  }
}

/** Starts a PostgreSQL for each worker, with the migrated templates from which test databases are cloned. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const servers = await openServers(project.vitest.config.maxWorkers);
  project.provide(
    "postgres",
    servers.map(({ connection }) => connection),
  );
  return async () => void (await Promise.all(servers.map(({ stop }) => stop())));
}

type TestServer = { connection: TestConnection; stop: () => Promise<void> };

async function createTemplates(connection: TestConnection): Promise<void> {
  await runSql(connection, `drop database if exists ${TEMPLATE}`);
  await runSql(connection, `create database ${TEMPLATE}`);
  await migrate({ ...connection, database: TEMPLATE }, pino({ level: "silent" }));
  await createWorldTemplate(connection);
}

/** Embedded servers, or the one that TEST_DATABASE_URL names, to test another version. */
async function openServers(count: number): Promise<TestServer[]> {
  const other = process.env.TEST_DATABASE_URL;
  if (!other) {
    removeLeftoversOfRuns();
    return openOwnServers(count);
  }
  const { hostname, port, username, pathname } = new URL(other);
  const connection = { host: hostname, port: Number(port || 5432), user: username, database: pathname.slice(1) };
  await createTemplates(connection);
  return [{ connection, stop: async () => {} }];
}

/** The first one's data are copied for the others: creating and migrating a cluster costs five times as much. */
async function openOwnServers(count: number): Promise<TestServer[]> {
  const [first = makeDataDir(), ...others] = Array.from({ length: count }, makeDataDir);
  const server = await startOwnServer(first);
  await createTemplates(server.connection);
  if (others.length === 0) return [server];
  await server.halt();
  for (const dataDir of others) await promisify(execFile)("cp", ["-a", `${first}/.`, dataDir]);
  return Promise.all([first, ...others].map(startOwnServer));
}

/** Leftovers of killed runs: ours, benches, and the module cache of vitest. */
const LEFTOVERS = [
  SOCKET_DIRS,
  { name: /^millrace-(?:bench|cli|demo|demo-page|env|harness|readme|runners|sdk|service|test|tests)-\w{6}$/, days: 1 },
  { name: /^[\w-]{21}$/, days: 1, holds: "ssr" },
];

/** Uses Linux's in-memory file system: a clone is 700 files, and costs a quarter of what it does on a disk. */
const MEMORY = "/dev/shm";
const ROOM_BYTES = 4 * 2 ** 30; // many containers have 64 MB there

/** Soak tests write more than should be in memory, and set this. */
function folderForData(): string {
  if (process.env.TEST_DATA_ON_DISK) return tmpdir();
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= ROOM_BYTES ? MEMORY : tmpdir();
  } catch {
    return tmpdir();
  }
}

function removeLeftoversOfRuns(): void {
  for (const folder of new Set([tmpdir(), "/tmp"])) removeLeftovers(folder, LEFTOVERS);
  removeDeadServers(MEMORY);
}

function makeDataDir(): string {
  const dataDir = mkdtempSync(join(folderForData(), "millrace-tests-"));
  chmodSync(dataDir, 0o755); // as root, PostgreSQL runs as another user, who needs access
  return dataDir;
}

async function startOwnServer(dataDir: string): Promise<TestServer & { halt: () => Promise<void> }> {
  const postgres = await startEmbeddedPostgres({
    dataDir,
    fsync: false,
    say: () => {},
    settings: {
      // Statistics of deleted rows would make plans depend on the previous test file.
      ...{ max_connections: "300", shared_buffers: "64MB", autovacuum: "off", max_wal_size: "256MB" },
      // The history checker compares the order of commits.
      track_commit_timestamp: "on",
      // Tests of deadlocks wait for it.
      deadlock_timeout: "100ms",
    },
  });
  const { host, port, user, database } = postgres.connection;
  const stop = async () => {
    await postgres.stop();
    removeDataDir(dataDir);
  };
  return { connection: { host, port, user, database }, stop, halt: postgres.stop };
}
