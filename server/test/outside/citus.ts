import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import { inSchema } from "../../src/platform/database/connection.ts";
import { migrate } from "../../src/platform/database/migrate.ts";
import { runSql, type TestConnection } from "../world/database.ts";
import { type InstalledServer, type PostgresTools, run, startInstalledServer } from "./installed-postgres.ts";

export type CitusCluster = {
  coordinator: InstalledServer;
  workers: InstalledServer[];
  /** As the service's user, whose sessions take the tables of the schema. */
  connection: TestConnection;
};

export const SCHEMA = "millrace";

const DEPLOY = join(import.meta.dirname, "..", "..", "..", "deploy", "citus");
const DISTRIBUTE = join(DEPLOY, "distribute.sql");
const SETTINGS = {
  ...{ shared_preload_libraries: "citus", shared_buffers: "64MB" },
  ...{ "citus.stat_counters_flush_timeout": "100", "citus.enable_stat_counters": "on" },
  ...settingsOf(readFileSync(join(DEPLOY, "compose.yaml"), "utf8")),
};

/** The settings with which the compose file starts each server. */
function settingsOf(compose: string): Record<string, string> {
  const [, command] = /^ +command: (.*)$/m.exec(compose) ?? [];
  if (command === undefined) throw new Error("the compose file of Citus gives its servers no settings");
  return Object.fromEntries([...command.matchAll(/-c ([\w.]+)=(\S+)/g)].map(([, name, value]) => [name, value]));
}

/** A suite that is asked for by name fails without Citus, and says what it needs. */
function needCitus(): PostgresTools {
  const program = process.env.CITUS_PG_CONFIG;
  if (!program) throw new Error("this suite needs CITUS_PG_CONFIG, the pg_config of a PostgreSQL with Citus");
  const read = (what: string) => execFileSync(program, [what], { encoding: "utf8" }).trim();
  return { folder: read("--bindir"), version: Number(/(\d+)/.exec(read("--version"))?.[1]), hasServer: true };
}

/** A coordinator and workers, on which the tables of a service are distributed by `deploy/citus/distribute.sql`. */
export async function startCitus(workerCount: number): Promise<CitusCluster> {
  const tools = needCitus();
  const [coordinator, ...workers] = await Promise.all(
    Array.from({ length: workerCount + 1 }, () => startInstalledServer(tools, { settings: SETTINGS })),
  );
  if (!coordinator) throw new Error("there is no coordinator");
  for (const { connection } of [coordinator, ...workers]) await runSql(connection, "create extension citus");
  const { connection } = coordinator;
  await runSql(connection, "select citus_set_coordinator_host('127.0.0.1', $1)", [coordinator.port]);
  for (const { port } of workers) await runSql(connection, "select citus_add_node('127.0.0.1', $1)", [port]);
  await migrate(inSchema({ ...connection, schema: SCHEMA }), pino({ level: "silent" }));
  const { host, port, user, database } = connection;
  const address = ["-h", host, "-p", String(port), "-U", user, "-d", database];
  const variables = ["-v", "ON_ERROR_STOP=1", "-v", `schema=${SCHEMA}`, "-v", `role=${user}`];
  await run(join(tools.folder, "psql"), ["-X", "-q", ...variables, "-f", DISTRIBUTE, ...address]);
  return { coordinator, workers, connection };
}
