import { CompiledQuery, type Dialect, Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import { noteLarge } from "../json/large-values.ts";
import type { Log } from "../log.ts";
import { beginWork } from "../time-slices.ts";
import { type DatabaseSockets, openDatabaseSockets } from "./database-sockets.ts";
import { withPipelining } from "./pipeline-statements.ts";
import { LIST_TYPES, listFromPostgres } from "./postgres-list.ts";
import { isoFromPostgres } from "./postgres-time.ts";
import { prepareStatements } from "./prepared-statements.ts";
import { isDirect, sessionSettings } from "./session-settings.ts";
import { timeStatements } from "./time-statements.ts";
import type { Timeouts } from "./timeouts.ts";

/** Statements are written out in kysely's `sql` tag; there is no table map to maintain. */
// biome-ignore lint/suspicious/noExplicitAny: the builder is used for its `sql` tag alone, which is typed per statement
export type Db = Kysely<any>;

export type Database = {
  /** The ten connections for all regular work. */
  db: Db;
  /**
   * Health checks and lease renewals have two connections of their own, so that a busy pool cannot make the service
   * look dead.
   */
  healthPool: pg.Pool;
  /** Direct: sessions that must not go through a pooler (LISTEN, migrations). */
  directConnection: pg.ClientConfig;
  sockets: DatabaseSockets;
  /** The use of the ten connections now. */
  readPool: () => PoolUse;
  /** Calls `observe` with the seconds of each statement from now on. */
  onStatement: (observe: (seconds: number) => void) => void;
  close: () => Promise<void>;
};

/** `waiting`: callers that wait for a connection. */
export type PoolUse = { busy: number; idle: number; waiting: number };

/** The connections of a database. */
export type Pools = {
  work: pg.Pool;
  health: pg.Pool;
  direct: pg.ClientConfig;
  sockets: DatabaseSockets;
  /** The message that begins a transaction. */
  begin: string;
};

const MAX_AT_WORK = 10;
const CLOSE_TIMEOUT_MS = 1_000;

/** A connection that only listens notices a dead peer only by these probes. */
const PROBES = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 };

export function openDatabase(
  connection: pg.PoolConfig,
  directConnection: pg.ClientConfig,
  log: Log,
  timeouts: Timeouts,
): Database {
  return databaseOn(openPools(connection, directConnection, log, timeouts));
}

export function openPools(
  connection: pg.PoolConfig,
  directConnection: pg.ClientConfig,
  log: Log,
  timeouts: Timeouts,
): Pools {
  const { free_within_ms, connect_within_ms } = timeouts;
  const sockets = openDatabaseSockets();
  const { startup, onConnect, begin } = sessionSettings(connection, directConnection, timeouts);
  const open = (application_name: string, own: pg.PoolConfig) => {
    const pool = openPool({ ...connection, ...startup, ...own, application_name }, log);
    // Not awaited: a connection runs its statements in order, and a lost connection fails the next one.
    if (onConnect) pool.on("connect", (client) => void client.query(onConnect).catch(() => {}));
    return pool;
  };
  // The watch logs an unreachable database within a second.
  const waiting = { max: MAX_AT_WORK, connectionTimeoutMillis: free_within_ms };
  const work = open("millrace", { ...waiting, stream: sockets.openUnlessSilent });
  if (isDirect(connection, directConnection)) work.on("connect", prepareStatements);
  const health = open("millrace health", { max: 2, connectionTimeoutMillis: connect_within_ms, stream: sockets.open });
  const direct = { ...directConnection, ...PROBES, types: millraceTypes, stream: sockets.open };
  return { work, health, direct, sockets, begin };
}

export function databaseOn({ work, health, direct, sockets, begin }: Pools): Database {
  let observe = (_seconds: number) => {};
  const dialect = startingAtOnce(new PostgresDialect({ pool: work }), begin, (seconds) => observe(seconds));
  const db: Db = withPipelining(new Kysely({ dialect }));
  return {
    db,
    healthPool: health,
    directConnection: direct,
    sockets,
    readPool: () => ({ busy: work.totalCount - work.idleCount, idle: work.idleCount, waiting: work.waitingCount }),
    onStatement: (next) => {
      observe = next;
    },
    close: async () => {
      // A database that does not respond does not close the connection either.
      setTimeout(sockets.closeAll, CLOSE_TIMEOUT_MS).unref();
      await Promise.allSettled([db.destroy(), health.end()]);
    },
  };
}

/**
 * A transaction begins with its first statement: `begin` is sent without waiting for the response. If it fails the
 * connection is broken, and the statement after it fails.
 */
function startingAtOnce(dialect: PostgresDialect, begin: string, observe: (seconds: number) => void): Dialect {
  return {
    createAdapter: () => dialect.createAdapter(),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createDriver: () => {
      const driver = timeStatements(dialect.createDriver(), observe);
      driver.beginTransaction = async (connection) => {
        connection.executeQuery(CompiledQuery.raw(begin)).catch(() => {});
      };
      return driver;
    },
  };
}

function openPool(settings: pg.PoolConfig, log: Log): pg.Pool {
  const pool = new pg.Pool({
    ...settings,
    ...PROBES,
    types: millraceTypes,
    idleTimeoutMillis: 60_000,
    // The server vanished without closing: the connection is discarded, not left stuck in the pool.
    query_timeout: 8_000,
    pipeline: true,
  });
  // Without an error listener, a broken connection would end the process: the pool listens on idle ones only. A caller
  // that uses one gets the error from its statement; the watch logs the outage, once.
  pool.on("connect", (client) => client.on("error", () => {}));
  pool.on("error", (error) => log.debug({ reason: error.message }, "an idle database connection was lost"));
  return pool;
}

const { builtins } = pg.types;

/** Times arrive as PostgreSQL's text, and 64-bit integers as numbers: rows are returned without mapping. */
const millraceTypes: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: "text" | "binary") => {
    if (oid === builtins.TIMESTAMPTZ) return isoFromPostgres;
    if (oid === builtins.INT8) return exactInteger;
    if (LIST_TYPES.has(oid)) return listFromPostgres;
    if (oid === builtins.JSON || oid === builtins.JSONB) return parseJsonColumn;
    return pg.types.getTypeParser(oid, format ?? "text");
  }) as pg.CustomTypesConfig["getTypeParser"],
};

/** In characters: a longer text may take milliseconds to parse. */
const LARGE_JSON = 65_536;

function parseJsonColumn(text: string): unknown {
  if (text.length <= LARGE_JSON) return JSON.parse(text);
  beginWork();
  const value = JSON.parse(text);
  noteLarge(value);
  return value;
}

function exactInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new Error(`${text} is too large to be kept exactly`);
  return value;
}
