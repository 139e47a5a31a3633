import { randomBytes } from "node:crypto";
import pg from "pg";
import { inject } from "vitest";

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
  await runSql(inject("postgres"), `drop database if exists ${connection.database} with (force)`);
}

export async function runSql<T extends pg.QueryResultRow>(
  connection: pg.ClientConfig,
  statement: string,
  values: unknown[] = [],
): Promise<T[]> {
  const client = new pg.Client(connection);
  client.on("error", () => {});
  await client.connect();
  try {
    return (await client.query<T>(statement, values)).rows;
  } finally {
    await client.end();
  }
}
