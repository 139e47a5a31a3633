import { randomBytes } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import pg from "pg";
import { inject } from "vitest";
import { whenFileEnds } from "./end-of-file.ts";

export const TEMPLATE = "millrace_template";

export type TestConnection = { host: string; port: number; user: string; database: string };

/** The PostgreSQL of this worker. Each worker has one, so that no file waits for the transactions of another. */
export function testServer(): TestConnection {
  const servers = inject("postgres");
  const server = servers[(Number(process.env.VITEST_POOL_ID ?? 1) - 1) % servers.length];
  if (!server) throw new Error("there is no PostgreSQL for the tests");
  return server;
}

/** A separate database with the whole schema and no test data. Dropped when the test file ends. */
export function cloneDatabase(): Promise<TestConnection> {
  return createDatabase(`template ${TEMPLATE} strategy file_copy`);
}

/** An empty database, for tests of migrations and first starts. */
export function emptyDatabase(): Promise<TestConnection> {
  return createDatabase("");
}

async function createDatabase(from: string): Promise<TestConnection> {
  const connection = await createNamed(from);
  whenFileEnds(() => dropDatabase(connection));
  return connection;
}

/** For callers that drop the database themselves. */
export async function createNamed(from: string): Promise<TestConnection> {
  const server = testServer();
  const database = `test_${randomBytes(6).toString("hex")}`;
  await runSql(server, `create database ${database} ${from}`);
  return { ...server, database };
}

export async function dropDatabase(connection: TestConnection): Promise<void> {
  await closeKept(connection);
  await runSql(testServer(), `drop database if exists ${connection.database} with (force)`);
}

/** Uses a separate connection: statements sent together do not wait for each other. */
export async function runSql<T extends pg.QueryResultRow>(
  connection: pg.ClientConfig,
  statement: string | pg.QueryConfig,
  values: unknown[] = [],
): Promise<T[]> {
  const client = takeKept(connection) ?? (await connect(connection));
  let isDone = false;
  try {
    const { rows } = await (typeof statement === "string"
      ? client.query<T>(statement, values)
      : client.query<T>(statement));
    isDone = true;
    return rows;
  } finally {
    // A failed connection may be broken or inside a transaction.
    if (!isDone || !keep(connection, client)) await client.end();
  }
}

/** A test that seeds a hundred rows at once closes and opens connections faster than PostgreSQL ends their sessions. */
async function connect(connection: pg.ClientConfig): Promise<pg.Client> {
  for (let attempt = 0; ; attempt++) {
    const client = new pg.Client(connection);
    client.on("error", () => {});
    client.on("end", () => broken.add(client));
    try {
      await client.connect();
      return client;
    } catch (error) {
      if (!isFull(error) || attempt === FULL_RETRIES) throw error;
      await setTimeout(100);
    }
  }
}

const FULL_RETRIES = 100;
const isFull = (error: unknown) => error instanceof pg.DatabaseError && error.code === "53300";

/** A test that sends a hundred statements at once does not leave a hundred sessions to the files after it. */
const KEPT_PER_DATABASE = 8;

/**
 * Keeps connections to test databases until those are dropped: connecting costs the server more than most statements.
 */
const kept = new Map<string, pg.Client[]>();
const broken = new WeakSet<pg.Client>();

function keep(connection: pg.ClientConfig, client: pg.Client): boolean {
  const key = JSON.stringify(connection);
  const clients = kept.get(key) ?? [];
  if (!connection.database?.startsWith("test_") || clients.length >= KEPT_PER_DATABASE) return false;
  kept.set(key, [...clients, client]);
  return true;
}

function takeKept(connection: pg.ClientConfig): pg.Client | undefined {
  const clients = kept.get(JSON.stringify(connection)) ?? [];
  while (clients.length > 0) {
    const client = clients.pop();
    if (client && !broken.has(client)) return client;
  }
  return undefined;
}

async function closeKept(connection: pg.ClientConfig): Promise<void> {
  const clients = kept.get(JSON.stringify(connection)) ?? [];
  kept.delete(JSON.stringify(connection));
  await Promise.all(clients.map((client) => client.end()));
}
