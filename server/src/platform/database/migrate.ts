import { readdirSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import type { Log } from "../log.ts";
import { serverRoot } from "../server-root.ts";

const MIGRATIONS_TABLE = "migrations";

/** Brings the schema up to date, under a lock: two instances may start at once. Returns the migrations it ran. */
export async function migrate(connection: pg.ClientConfig, log: Log): Promise<string[]> {
  const client = new pg.Client({ ...connection, application_name: "millrace migrate" });
  // Without an error listener, a connection lost meanwhile would end the process; the current statement fails as well.
  client.on("error", () => {});
  await client.connect();
  try {
    const missing = await missingMigrations(client);
    if (missing.length === 0) return [];
    await refuseWithoutRights(client);
    log.info({ migrations: missing.length }, "bringing the database schema up to date");
    return await runMigrations(client);
  } finally {
    await client.end();
  }
}

/** Queried directly: the runner reports it with a stack trace instead of a code. */
async function refuseWithoutRights(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ schema: string; may_create: boolean | null }>(
    `select coalesce(current_schema(), 'public') as schema,
       has_schema_privilege(coalesce(current_schema(), 'public'), 'create') as may_create`,
  );
  const { schema = "", may_create } = rows[0] ?? {};
  if (may_create) return;
  throw Object.assign(new Error(`permission denied to create tables in the schema ${schema}`), { code: "42501" });
}

/** The migrations of this version that are not applied yet. Those of a newer version are ignored. */
async function missingMigrations(client: pg.ClientBase | pg.Pool): Promise<string[]> {
  const done = new Set(await appliedMigrations(client));
  return migrationNames().filter((name) => !done.has(name));
}

/** The applied migrations, in order. */
export async function appliedMigrations(client: pg.ClientBase | pg.Pool): Promise<string[]> {
  const table = await client.query(`select to_regclass($1) is not null as found`, [MIGRATIONS_TABLE]);
  if (!table.rows[0]?.found) return [];
  const { rows } = await client.query<{ name: string }>(`select name from ${MIGRATIONS_TABLE} order by name`);
  return rows.map((row) => row.name);
}

async function runMigrations(client: pg.Client): Promise<string[]> {
  // Loaded only when needed: most starts have no migrations to run.
  const { runner } = await import("node-pg-migrate");
  const ran = await runner({
    dbClient: client,
    dir: migrationsFolder(),
    direction: "up",
    migrationsTable: MIGRATIONS_TABLE,
    advisoryLockMode: "wait",
    checkOrder: false,
    log: () => {},
  });
  return ran.map((migration) => migration.name);
}

export function migrationNames(): string[] {
  return readdirSync(migrationsFolder())
    .filter((file) => file.endsWith(".sql"))
    .map((file) => file.slice(0, -".sql".length))
    .sort();
}

function migrationsFolder(): string {
  return join(serverRoot(), "migrations");
}
