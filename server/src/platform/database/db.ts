import { createHash } from "node:crypto";
import { CompiledQuery, type ControlledTransaction, type Dialect, Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import type { Log } from "../log.ts";
import { isConsequence } from "./database-errors.ts";
import { type DatabaseSockets, openDatabaseSockets } from "./database-sockets.ts";
import { millraceTypes } from "./postgres-types.ts";
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

/**
 * Pipelines the statements of a transaction: those that do not depend on each other's results are sent together and run
 * in the order of the calls. Kysely alone sends a statement after the previous one has returned.
 */
function withPipelining(db: Db): Db {
  const start = db.startTransaction.bind(db);
  db.startTransaction = () => {
    const builder = start();
    const execute = builder.execute.bind(builder);
    builder.execute = async () => pipelineStatements(await execute());
    return builder;
  };
  return db;
}

// biome-ignore lint/suspicious/noExplicitAny: as `Db`
type Transaction = ControlledTransaction<any, []>;

async function pipelineStatements(trx: Transaction): Promise<Transaction> {
  const sequential = trx.getExecutor();
  const connection = await sequential.provideConnection(async (own) => own);
  const isOver = noteEnd(trx);
  let failure: unknown;
  const pipelined = sequential.withConnectionProvider({
    provideConnection: async (consumer) => {
      if (isOver()) throw new Error("a statement was sent after the end of its transaction");
      try {
        return await consumer(connection);
      } catch (error) {
        // Statements pipelined after a failed one fail because of it: the first error decides whether to retry.
        failure ??= error;
        throw isConsequence(error) ? failure : error;
      }
    },
  });
  trx.getExecutor = () => pipelined;
  return trx;
}

/**
 * Set from the call that ends the transaction. When one of several concurrent parts fails, another may continue: its
 * statements after the rollback would run in a transaction of their own.
 */
function noteEnd(trx: Transaction): () => boolean {
  let isOver = false;
  for (const name of ["commit", "rollback"] as const) {
    const end = trx[name].bind(trx);
    trx[name] = () => {
      isOver = true;
      return end();
    };
  }
  return () => isOver;
}

/** A statement with this prefix is planned once per connection instead of at every call. */
const MARK = "/* prepared */";

const names = new Map<string, string>();

/**
 * Lets a connection keep the plans of marked statements, whose text must not vary. Not behind a pooler, which may route
 * the next call to another connection. See `README.md`.
 */
function prepareStatements(client: pg.PoolClient): void {
  const query = client.query.bind(client) as (...args: unknown[]) => unknown;
  client.query = ((text: unknown, ...rest: unknown[]) => {
    if (typeof text !== "string" || !text.startsWith(MARK, text.search(/\S/))) return query(text, ...rest);
    const [values, ...others] = rest;
    return query({ name: nameOf(text), text, values }, ...others);
  }) as typeof client.query;
}

function nameOf(text: string): string {
  const known = names.get(text);
  if (known) return known;
  const name = `prepared_${createHash("sha256").update(text).digest("hex").slice(0, 24)}`;
  names.set(text, name);
  return name;
}
