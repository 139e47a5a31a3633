import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import type { Config } from "../platform/config.ts";
import { isConnectionLoss } from "../platform/database/database-errors.ts";
import { migrate } from "../platform/database/migrate.ts";
import { startEmbeddedPostgres } from "../platform/embedded-postgres/start-embedded-postgres.ts";
import type { Log } from "../platform/log.ts";
import type { Connections } from "./open-service.ts";
import { StartError } from "./start-error.ts";

export type StartedDatabase = { connections: Connections; name: string; stop: () => Promise<void> };

const CONNECT_TIMEOUT_MS = 5_000;
const PATIENCE = { waitMs: 30_000, askEveryMs: 1_000 };
const RELAUNCH_EVERY_MS = 500;

/** The database of the settings, reachable and with today's schema. */
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

  /** A server that ended by itself is started again; meanwhile requests get 503. */
  async function relaunch(): Promise<void> {
    while (!stopping) {
      log.error("the embedded PostgreSQL ended; starting it again");
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

/** A database that starts together with the service may be a little later: it is waited for, with a message. */
export async function migrateWhenReachable(
  { work, direct }: Connections,
  log: Log,
  patience = PATIENCE,
): Promise<void> {
  const giveUpAt = performance.now() + patience.waitMs;
  for (;;) {
    try {
      await migrate({ ...direct, connectionTimeoutMillis: CONNECT_TIMEOUT_MS }, log);
      return await connectOnce(work);
    } catch (error) {
      if (!isConnectionLoss(error)) throw asStartError(error, log);
      if (performance.now() > giveUpAt) {
        throw new StartError(
          `The database cannot be reached: ${reasonOf(error)}. Check DATABASE_URL and that it runs.`,
        );
      }
      log.warn({ reason: reasonOf(error) }, "the database cannot be reached yet; trying again");
      await pause(patience.askEveryMs);
    }
  }
}

/** A pooler in between has its own address and its own ways to be wrong. */
async function connectOnce(work: pg.ClientConfig): Promise<void> {
  const client = new pg.Client({ ...work, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  client.on("error", () => {}); // a connection lost between the two lines is no news here
  await client.connect();
  await client.end();
}

/** Wrong password, unknown database, no rights, no TLS: waiting does not help. */
function asStartError(error: unknown, log: Log): StartError {
  log.debug({ stack: error instanceof Error ? error.stack : undefined }, "the database cannot be used");
  return new StartError(
    `The database cannot be used: ${reasonOf(error)}. Check DATABASE_URL and the rights of its user.`,
  );
}

function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join("; ");
  return error instanceof Error ? error.message || ((error as { code?: string }).code ?? "unknown") : String(error);
}
