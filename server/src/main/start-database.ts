import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { isConnectionLoss } from "../platform/database/database-errors.ts";
import { migrate } from "../platform/database/migrate.ts";
import { isDirect, sessionSettings } from "../platform/database/session-settings.ts";
import { TIMEOUTS as SESSION_TIMEOUTS } from "../platform/database/timeouts.ts";
import { startEmbeddedPostgres } from "../platform/embedded-postgres/start-embedded-postgres.ts";
import type { Log } from "../platform/logging/log.ts";
import type { Config } from "../platform/settings/config.ts";
import { StartError } from "../platform/start-error.ts";
import { explainDatabaseError, OldPostgresError } from "./explain-database-error.ts";
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

function external({ url, direct_url }: { url: string; direct_url: string }): StartedDatabase {
  return {
    connections: { work: { connectionString: url }, direct: { connectionString: direct_url } },
    name: `PostgreSQL at ${new URL(url).host}`,
    stop: async () => {},
  };
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
    let tried: pg.ClientConfig = direct;
    try {
      const { startup } = sessionSettings(work, direct, SESSION_TIMEOUTS);
      await connectOnce({ ...direct, ...startup }, refuseOldPostgres);
      if (!isDirect(work, direct)) {
        tried = work;
        await connectOnce(work, (client) => switchJitOff(client, log));
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
async function connectOnce(connection: pg.ClientConfig, use: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  client.on("error", () => {}); // the next statement fails on a lost connection
  await client.connect();
  try {
    await use(client);
  } finally {
    await client.end();
  }
}

async function refuseOldPostgres(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ number: number; version: string }>(
    "select current_setting('server_version_num')::int as number, current_setting('server_version') as version",
  );
  const { number = 0, version = "" } = rows[0] ?? {};
  if (number < OLDEST_POSTGRES) throw new OldPostgresError(`The database is PostgreSQL ${version}, which is too old.`);
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
