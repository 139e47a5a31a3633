import pg from "pg";
import { newKey } from "../platform/access/credentials/key-format.ts";
import {
  connectClient,
  connectionOf,
  type DatabaseConnection,
  inSchema,
  placeOf,
} from "../platform/database/connection.ts";
import { migrate, PreReleaseSchemaError, readMigrations } from "../platform/database/migrate.ts";
import { adoptEmbeddedPostgres } from "../platform/embedded-postgres/adopt-embedded-postgres.ts";
import { holdDataDir } from "../platform/embedded-postgres/cluster/hold-data-dir.ts";
import { EmbeddedPostgresError } from "../platform/embedded-postgres/embedded-postgres-error.ts";
import { startEmbeddedPostgres } from "../platform/embedded-postgres/start-embedded-postgres.ts";
import { openLog } from "../platform/logging/log.ts";
import { newSigningSecret } from "../platform/secrets/sign.ts";
import { type Config, type Mode, parseConfig } from "../platform/settings/config.ts";
import { BackupError } from "./backup/backup-file.ts";
import { createBackup, type OnTable } from "./backup/create-backup.ts";
import { restoreBackup, verifyBackup } from "./backup/restore-backup.ts";
import { explainDatabaseError } from "./explain-database-error.ts";

/** `millrace migrate`, `backup`, `doctor` and `outbox install`: databases without a service. */

export type DatabaseSettings = { mode: Mode; env: Record<string, string | undefined>; cwd: string };

type Report = { name: string; version: string; clock_ahead_ms: number; applied: string[]; pending: string[] };
type Trouble = { ok: false; reason: string; remedy: string; is_settings: boolean };
export type DatabaseResult = ({ ok: true } & Report) | Trouble;

/** Secrets of a first project: `millrace init --production`. */
export function newFirstSecrets(): { api_key: string; signing_secret: string } {
  return { api_key: newKey(), signing_secret: newSigningSecret() };
}

/** Read-only: an embedded database that is not running is not started. */
export async function inspectDatabase(settings: DatabaseSettings): Promise<DatabaseResult> {
  return withConfig(settings, async (config) => {
    const found = config.database
      ? { name: nameOf(config.database), connection: asConnection(config.database) }
      : await runningEmbedded(config);
    return found === undefined ? asleep(config) : { ok: true, ...(await report(found.name, found.connection)) };
  });
}

/** Brings the schema up to date, and returns the migrations it ran. An embedded database is started for it. */
export async function migrateDatabase(settings: DatabaseSettings): Promise<DatabaseResult & { ran: string[] }> {
  let ran: string[] = [];
  const result = await withConfig(settings, (config) =>
    withDatabase(config, settings.env, async (name, connection) => {
      ran = await migrate(connection, openLog(config.mode, "silent"));
      return { ok: true, ...(await report(name, connection)) };
    }),
  );
  return { ...result, ran };
}

type Rows = Record<string, number>;

/** Writes a backup. An embedded database that is not running is started for it. */
export function backUp(
  settings: DatabaseSettings,
  path: string,
  onTable: OnTable,
): Promise<DatabaseResult & { rows: Rows }> {
  return withRows(settings, (connection) => createBackup(connection, path, onTable));
}

export function restore(
  settings: DatabaseSettings,
  path: string,
  onTable: OnTable,
): Promise<DatabaseResult & { rows: Rows }> {
  return withRows(settings, (connection) => restoreBackup(connection, path, onTable));
}

export { verifyBackup };

async function withRows(
  settings: DatabaseSettings,
  use: (connection: DatabaseConnection) => Promise<Rows>,
): Promise<DatabaseResult & { rows: Rows }> {
  let rows: Rows = {};
  const result = await withConfig(settings, (config) =>
    withDatabase(config, settings.env, async (name, connection) => {
      rows = await use(connection);
      return { ok: true, ...(await report(name, connection)) };
    }),
  );
  return { ...result, rows };
}

/** Runs statements in the database of an application: `millrace outbox install`. */
export async function runSql(
  url: string,
  statements: string,
): Promise<{ ok: true } | { ok: false; reason: string; code: string | undefined }> {
  let client: pg.Client | undefined;
  try {
    client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000, application_name: "millrace" });
    client.on("error", () => {}); // the current statement fails as well
    await client.connect();
    await client.query(statements);
    return { ok: true };
  } catch (error) {
    return { ok: false, reason: reasonOf(error), code: (error as { code?: string }).code };
  } finally {
    await client?.end().catch(() => {});
  }
}

async function withConfig(
  { mode, env, cwd }: DatabaseSettings,
  use: (config: Config) => Promise<DatabaseResult>,
): Promise<DatabaseResult> {
  const parsed = parseConfig(mode, env, cwd);
  if (!parsed.ok) {
    return {
      ok: false,
      reason: parsed.mistakes.join(" "),
      remedy: "/docs/operate/settings lists all settings.",
      is_settings: true,
    };
  }
  try {
    return await use(parsed.config);
  } catch (error) {
    const { database } = parsed.config;
    const isFile = error instanceof BackupError || (error as NodeJS.ErrnoException).syscall === "open";
    if (isFile) return { ok: false, reason: reasonOf(error), remedy: "", is_settings: true };
    const isOurs = error instanceof EmbeddedPostgresError || (!database && !(error instanceof PreReleaseSchemaError));
    const explained = isOurs
      ? { reason: reasonOf(error), remedy: "" }
      : explainDatabaseError(error, database ? asConnection(database) : {});
    return { ok: false, ...explained, is_settings: false };
  }
}

async function withDatabase(
  config: Config,
  env: DatabaseSettings["env"],
  use: (name: string, connection: DatabaseConnection) => Promise<DatabaseResult>,
): Promise<DatabaseResult> {
  if (config.database) return use(nameOf(config.database), asConnection(config.database));
  const running = await runningEmbedded(config);
  if (running) return use(running.name, running.connection);
  const { release } = await holdDataDir(config.data_dir, { mode: "migrate", port: 0 });
  try {
    const options = { dataDir: config.data_dir, say: () => {}, cacheHome: env.XDG_CACHE_HOME };
    const postgres = await startEmbeddedPostgres(options);
    try {
      return await use(embeddedName(config), { ...postgres.connection });
    } finally {
      await postgres.stop();
    }
  } finally {
    release();
  }
}

async function runningEmbedded(config: Config): Promise<{ name: string; connection: DatabaseConnection } | undefined> {
  const adopted = await adoptEmbeddedPostgres({ dataDir: config.data_dir });
  return adopted && { name: embeddedName(config), connection: { ...adopted.connection } };
}

function asleep(config: Config): Trouble {
  return {
    ok: false,
    reason: `The ${embeddedName(config)} is not running.`,
    remedy:
      "It starts with the service: `millrace dev`, or `millrace serve`. `millrace migrate up` starts it temporarily.",
    is_settings: false,
  };
}

async function report(name: string, connection: DatabaseConnection): Promise<Report> {
  const client = await connectClient({
    ...connection,
    connectionTimeoutMillis: 5_000,
    application_name: "millrace",
  });
  try {
    const sentAt = Date.now();
    const { rows } = await client.query(
      "select extract(epoch from clock_timestamp()) * 1000 as now, version() as version",
    );
    const middle = (sentAt + Date.now()) / 2;
    const { applied, pending } = await readMigrations(client);
    const version = String(rows[0]?.version).split(" ").slice(0, 2).join(" ");
    return { name, version, clock_ahead_ms: Math.round(Number(rows[0]?.now) - middle), applied, pending };
  } finally {
    await client.end();
  }
}

function embeddedName({ data_dir }: Config): string {
  return `embedded PostgreSQL in ${data_dir}`;
}

function asConnection({ direct_url, schema }: NonNullable<Config["database"]>): DatabaseConnection {
  return inSchema(connectionOf(direct_url, schema));
}

function nameOf({ url }: NonNullable<Config["database"]>): string {
  return `PostgreSQL at ${placeOf(connectionOf(url)).address}`;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
