import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import type { TestProject } from "vitest/node";
import { startEmbeddedPostgres } from "../src/platform/embedded-postgres/start-embedded-postgres.ts";
import { migrate } from "../src/platform/migrate.ts";
import { runSql, TEMPLATE } from "./database.ts";

declare module "vitest" {
  interface ProvidedContext {
    postgres: { host: string; port: number; user: string; database: string };
  }
}

/** One PostgreSQL for the whole run, and in it one migrated template that every test file clones. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = mkdtempSync(join(tmpdir(), "millrace-tests-"));
  const postgres = await startEmbeddedPostgres({
    dataDir,
    fsync: false,
    say: () => {},
    settings: { max_connections: "300", shared_buffers: "64MB" },
  });
  const { host, port, user, database } = postgres.connection;
  const connection = { host, port, user, database };
  await runSql(connection, `create database ${TEMPLATE}`);
  await migrate({ ...connection, database: TEMPLATE }, pino({ level: "silent" }));
  project.provide("postgres", connection);
  return async () => {
    await postgres.stop();
    rmSync(dataDir, { recursive: true, force: true });
  };
}
