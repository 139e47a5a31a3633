import { randomBytes } from "node:crypto";
import pg from "pg";
import { inject } from "vitest";
import { whenFileEnds } from "./end-of-file.ts";

export const TEMPLATE = "millrace_template";

export type TestConnection = { host: string; port: number; user: string; database: string };

/** A database of its own for a test file, with the whole schema. A clone takes some 30 ms. */
export async function cloneDatabase(): Promise<TestConnection> {
  const server = inject("postgres");
  const database = `test_${randomBytes(6).toString("hex")}`;
  await runSql(server, `create database ${database} template ${TEMPLATE} strategy file_copy`);
  return { ...server, database };
}

/** A database with nothing in it, for what migrations and starts do with one. */
export async function emptyDatabase(): Promise<TestConnection> {
  const server = inject("postgres");
  const database = `test_${randomBytes(6).toString("hex")}`;
  await runSql(server, `create database ${database}`);
  return { ...server, database };
}

export async function dropDatabase(connection: TestConnection): Promise<void> {
  await closeKept(connection);
  await runSql(inject("postgres"), `drop database if exists ${connection.database} with (force)`);
}

/** On a connection of its own: statements that are sent together do not wait for each other. */
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
    // One that failed may be broken, or within a transaction.
    if (isDone && connection.database?.startsWith("test_")) keep(connection, client);
    else await client.end();
  }
}

async function connect(connection: pg.ClientConfig): Promise<pg.Client> {
  const client = new pg.Client(connection);
  client.on("error", () => {});
  client.on("end", () => broken.add(client));
  await client.connect();
  return client;
}

/** Connections to test databases, until the file ends: a new one costs the server more than most statements. */
const kept = new Map<string, pg.Client[]>();
const broken = new WeakSet<pg.Client>();

function keep(connection: pg.ClientConfig, client: pg.Client): void {
  const key = JSON.stringify(connection);
  if (!kept.has(key)) whenFileEnds(() => closeKept(connection));
  kept.set(key, [...(kept.get(key) ?? []), client]);
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
