import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import {
  connectClient,
  connectionOf,
  type DatabaseConnection,
  inSchema,
  placeOf,
} from "../platform/database/connection.ts";
import { isConnectionLoss } from "../platform/database/database-errors.ts";
import { migrate } from "../platform/database/migrate.ts";
import { isDirect, sessionSettings } from "../platform/database/session-settings.ts";
import { TIMEOUTS as SESSION_TIMEOUTS } from "../platform/database/timeouts.ts";
import { startEmbeddedPostgres } from "../platform/embedded-postgres/start-embedded-postgres.ts";
import type { Log } from "../platform/logging/log.ts";
import type { Config } from "../platform/settings/config.ts";
import { StartError } from "../platform/start-error.ts";
import {
  explainDatabaseError,
  OldPostgresError,
  OtherSchemaError,
  ReadOnlyDatabaseError,
} from "./explain-database-error.ts";
import type { Connections } from "./open-service.ts";

export type StartedDatabase = { connections: Connections; name: string; stop: () => Promise<void> };

const CONNECT_TIMEOUT_MS = 5_000;
const TIMEOUTS = { waitMs: 30_000, retryEveryMs: 1_000 };
const RELAUNCH_EVERY_MS = 500;
const OLDEST_POSTGRES = 150_000;

/** The configured database, reachable and with the current schema. */
export async function startDatabase(config: Config, log: Log, cacheHome: string | undefined): Promise<StartedDatabase> {
  const database = config.database ? external(config.database) : await startEmbedded(config, log, cacheHome);
  await migrateWhenReachable(database.connections, log);
  return database;
}

function external({ url, direct_url, schema }: NonNullable<Config["database"]>): StartedDatabase {
  const direct = inSchema(connectionOf(direct_url, schema));
  const pooled = connectionOf(url, schema);
  // A pooler takes no settings with the startup message.
  const work = url === direct_url ? direct : isDirect(pooled, direct) ? inSchema(pooled) : pooled;
  return { connections: { work, direct }, name: `PostgreSQL at ${placeOf(work).address}`, stop: async () => {} };
}

async function startEmbedded(config: Config, log: Log, cacheHome: string | undefined): Promise<StartedDatabase> {
  const options = { dataDir: config.data_dir, say: (line: string) => log.info(line), cacheHome };
  let stopping = false;
  let postgres = await startEmbeddedPostgres(options);
  let relaunched = Promise.resolve();

  function relaunchWhenItEnds(): void {
    postgres.onExit(() => {
      relaunched = relaunch();
    });
  }

  /** A server that exited by itself is started again; meanwhile requests get 503. */
  async function relaunch(): Promise<void> {
    while (!stopping) {
      log.error("the embedded PostgreSQL exited; starting it again");
      try {
        postgres = await startEmbeddedPostgres(options);
        return relaunchWhenItEnds();
      } catch (error) {
        log.error(reasonOf(error));
      }
      await pause(RELAUNCH_EVERY_MS);
    }
  }

  relaunchWhenItEnds();
  return {
    connections: { work: { ...postgres.connection }, direct: { ...postgres.connection } },
    name: `embedded PostgreSQL in ${config.data_dir}`,
    stop: async () => {
      stopping = true;
      await relaunched;
      await postgres.stop();
    },
  };
}

/** A database that is started together with the service may be ready later: the start waits for it, and logs that. */
export async function migrateWhenReachable(
  { work, direct }: Connections,
  log: Log,
  timeouts = TIMEOUTS,
): Promise<void> {
  const giveUpAt = performance.now() + timeouts.waitMs;
  for (;;) {
    let tried = direct;
    try {
      const { startup } = sessionSettings(work, direct, SESSION_TIMEOUTS);
      await connectOnce({ ...direct, ...startup }, refuseUnusable);
      if (!isDirect(work, direct)) {
        tried = work;
        await connectOnce(work, async (client) => {
          await refuseUnusable(client);
          await refuseOtherSchema(client, work.schema);
          await switchJitOff(client, log);
        });
      }
      tried = direct;
      await migrate({ ...direct, connectionTimeoutMillis: CONNECT_TIMEOUT_MS }, log);
      return;
    } catch (error) {
      const { reason, remedy } = explainDatabaseError(error, tried);
      // Wrong password, unknown database, no rights, no TLS: waiting does not help.
      const isForGood = !isConnectionLoss(error);
      if (isForGood) log.debug({ stack: (error as Error)?.stack }, "the database cannot be used");
      if (isForGood || performance.now() > giveUpAt) throw new StartError(`${reason} ${remedy}`);
      log.warn({ reason }, "the database cannot be reached yet; trying again");
      await pause(timeouts.retryEveryMs);
    }
  }
}

/** Before anything is changed. A pooler in between has its own address and its own misconfigurations. */
async function connectOnce(connection: DatabaseConnection, use: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = await connectClient({ ...connection, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  try {
    await use(client);
  } finally {
    await client.end();
  }
}

async function refuseUnusable(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ number: number; version: string; is_read_only: boolean }>(
    `select current_setting('server_version_num')::int as number, current_setting('server_version') as version,
       current_setting('transaction_read_only') = 'on' as is_read_only`,
  );
  const { number = 0, version = "", is_read_only } = rows[0] ?? {};
  if (number < OLDEST_POSTGRES) throw new OldPostgresError(`The database is PostgreSQL ${version}, which is too old.`);
  if (is_read_only) throw new ReadOnlyDatabaseError();
}

/** Statements outside of transactions find their tables only in the schema that the pooler's sessions begin with. */
async function refuseOtherSchema(client: pg.Client, schema: string | undefined): Promise<void> {
  if (schema === undefined) return;
  const { rows } = await client.query<{ search_path: string }>("show search_path");
  if (rows[0]?.search_path !== schema) throw new OtherSchemaError(schema);
}

/**
 * Behind a pooler, statements outside of transactions cannot turn JIT off themselves, so this becomes the default of
 * our database user.
 */
async function switchJitOff(client: pg.Client, log: Log): Promise<void> {
  try {
    const { rows } = await client.query<{ jit: string; database: string }>(
      "select current_setting('jit') as jit, current_database() as database",
    );
    const [found] = rows;
    if (found?.jit !== "on") return;
    await client.query(`alter role current_user in database ${pg.escapeIdentifier(found.database)} set jit = off`);
  } catch (error) {
    if (isConnectionLoss(error)) throw error;
    log.warn({ reason: reasonOf(error) }, "JIT could not be turned off; run alter role … set jit = off");
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
