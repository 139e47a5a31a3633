import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type pg from "pg";
import type { Log } from "../logging/log.ts";
import { serverRoot } from "../server-root.ts";
import { connectClient, type DatabaseConnection } from "./connection.ts";

const MIGRATIONS_TABLE = "migrations";

/**
 * The database was set up by a version before the first release, whose migrations were replaced by a baseline. Running
 * the baseline on it would fail on the first table that both create.
 */
export class PreReleaseSchemaError extends Error {
  constructor(lastMigration: string) {
    super(`its schema (${lastMigration}) was created by a development version from before the first release`);
  }
}

/**
 * Brings the schema up to date, under a lock: two instances may start at once. Returns the migrations it ran. With
 * `count`, only until this many are applied.
 */
export async function migrate(connection: DatabaseConnection, log: Log, count?: number): Promise<string[]> {
  const client = await connectClient({ ...connection, application_name: "millrace migrate" });
  try {
    if (connection.schema !== undefined) await createSchema(client, connection.schema);
    const { applied, pending } = await readMigrations(client);
    const wanted = count === undefined ? pending.length : Math.min(pending.length, count - applied.length);
    if (wanted <= 0) return [];
    const schema = await usableSchema(client);
    log.info({ migrations: wanted }, "bringing the database schema up to date");
    return await runMigrations(client, wanted, schema);
  } finally {
    await client.end();
  }
}

/** Looked up first: who may not create schemas in the database may still own this one. */
async function createSchema(client: pg.Client, schema: string): Promise<void> {
  const { rows } = await client.query("select 1 from pg_namespace where nspname = $1", [schema]);
  if (rows.length === 0) await client.query(`create schema if not exists ${schema}`);
}

/** Where tables are created. Queried directly: the runner reports missing rights with a stack trace, not with a code. */
async function usableSchema(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ schema: string; may_create: boolean | null }>(
    `select coalesce(current_schema(), 'public') as schema,
       has_schema_privilege(coalesce(current_schema(), 'public'), 'create') as may_create`,
  );
  const { schema = "", may_create } = rows[0] ?? {};
  if (may_create) return schema;
  throw Object.assign(new Error(`permission denied to create tables in the schema ${schema}`), { code: "42501" });
}

/** The applied migrations, also those of a newer version, and those of this version that are pending. In order. */
export async function readMigrations(client: pg.ClientBase): Promise<{ applied: string[]; pending: string[] }> {
  const applied = await appliedMigrations(client);
  const names = migrationNames();
  // Every database of a release begins with the same migration.
  if (applied.length > 0 && applied[0] !== names[0]) throw new PreReleaseSchemaError(applied.at(-1) ?? "");
  return { applied, pending: names.filter((name) => !applied.includes(name)) };
}

async function appliedMigrations(client: pg.ClientBase): Promise<string[]> {
  const table = await client.query(`select to_regclass($1) is not null as found`, [MIGRATIONS_TABLE]);
  if (!table.rows[0]?.found) return [];
  const { rows } = await client.query<{ name: string }>(`select name from ${MIGRATIONS_TABLE} order by name`);
  return rows.map((row) => row.name);
}

async function runMigrations(client: pg.Client, count: number, schema: string): Promise<string[]> {
  // Loaded only when needed: most starts have no migrations to run.
  const { runner } = await import("node-pg-migrate");
  const ran = await runner({
    dbClient: client,
    dir: migrationsFolder(),
    direction: "up",
    count,
    migrationsTable: MIGRATIONS_TABLE,
    migrationsSchema: schema,
    advisoryLockMode: "wait",
    checkOrder: false,
    log: () => {},
  });
  return ran.map((migration) => migration.name);
}

export function migrationNames(): string[] {
  return migrationFiles().map((file) => file.slice(0, -".sql".length));
}

/** The names of all tables that migrations have created: others in the same schema are not ours. */
export function migratedTables(): string[] {
  const statements = migrationFiles().map((file) => readFileSync(join(migrationsFolder(), file), "utf8"));
  return [...statements.join("\n").matchAll(/^create (?:unlogged )?table (?:if not exists )?(\w+)/gim)].map(
    ([, name = ""]) => name,
  );
}

function migrationFiles(): string[] {
  return readdirSync(migrationsFolder())
    .filter((file) => file.endsWith(".sql"))
    .sort();
}

function migrationsFolder(): string {
  return join(serverRoot(), "migrations");
}
