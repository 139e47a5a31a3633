import type pg from "pg";
import type { Log } from "../logging/log.ts";
import type { DatabaseConnection } from "./connection.ts";
import { isConsequence } from "./database-errors.ts";
import type { DatabaseSockets } from "./database-sockets.ts";
import { openPools, type Pools } from "./pools.ts";
import type { Timeouts } from "./timeouts.ts";

export type Result<Row> = { rows: Row[]; rowCount: number | null };

/** Executes statements, each on any free connection or all of them in one transaction. */
export type Db = {
  query: <Row>(text: string, parameters: unknown[]) => Promise<Result<Row>>;
  /**
   * For statements that read a few rows by key: concurrent ones share a connection, which takes half the CPU time of a
   * connection each. A slow one would delay the others. Absent in a transaction, which has one connection anyway.
   */
  queryTogether?: Db["query"];
  begin: () => Promise<Transaction>;
};

export type Transaction = Db & {
  /**
   * May be sent right behind other statements: if one of them fails, so does the commit. Then the transaction keeps its
   * connection until `rollback`. With `unlocksEarly` the locks end before the commit is on disk. Resolves when it is.
   */
  commit: (options?: { unlocksEarly: boolean }) => Promise<void>;
  rollback: () => Promise<void>;
};

export type Database = {
  /** The ten connections for all regular work. */
  db: Db;
  /**
   * Health checks and lease renewals have two connections of their own, so that a busy pool cannot make the service
   * look dead.
   */
  healthPool: pg.Pool;
  /** Direct: sessions that must not go through a pooler (LISTEN, migrations). */
  directConnection: DatabaseConnection;
  sockets: DatabaseSockets;
  /** The address names several hosts, of which one is the primary. */
  hasStandbys: boolean;
  /** The use of the ten connections now. */
  readPool: () => PoolUse;
  /** Calls `observe` with the seconds of each statement from now on. */
  onStatement: (observe: Observe) => void;
  close: () => Promise<void>;
};

/** `waiting`: callers that wait for a connection. */
export type PoolUse = { busy: number; idle: number; waiting: number };

type Observe = (seconds: number) => void;

const CLOSE_TIMEOUT_MS = 1_000;

export function openDatabase(
  connection: DatabaseConnection,
  directConnection: DatabaseConnection,
  log: Log,
  timeouts: Timeouts,
): Database {
  return databaseOn(openPools(connection, directConnection, log, timeouts));
}

export function databaseOn({ work, health, direct, sockets, begin }: Pools): Database {
  let observe: Observe = () => {};
  return {
    db: {
      queryTogether: openSharedConnection(work, (...given) => send(given[0], observe, given[1], given[2])),
      query: async (text, parameters) => {
        const client = await work.connect();
        try {
          return await send(client, observe, text, parameters);
        } finally {
          client.release();
        }
      },
      begin: async () => beginOn(await work.connect(), observe, begin),
    },
    healthPool: health,
    directConnection: direct,
    sockets,
    hasStandbys: (direct.hosts?.length ?? 1) > 1,
    readPool: () => ({ busy: work.totalCount - work.idleCount, idle: work.idleCount, waiting: work.waitingCount }),
    onStatement: (next) => {
      observe = next;
    },
    close: async () => {
      // A database that does not respond does not close the connection either.
      setTimeout(sockets.closeAll, CLOSE_TIMEOUT_MS).unref();
      await Promise.allSettled([work.end(), health.end()]);
    },
  };
}

type SendOn = <Row>(client: pg.PoolClient, text: string, parameters: unknown[]) => Promise<Result<Row>>;

/** Sends statements on one connection of the pool, which is held while any of them is in progress. */
function openSharedConnection(pool: pg.Pool, sendOn: SendOn): Db["query"] {
  let shared: { connecting: Promise<pg.PoolClient>; users: number } | undefined;
  return async <Row>(text: string, parameters: unknown[]) => {
    shared ??= { connecting: pool.connect(), users: 0 };
    const mine = shared;
    mine.users++;
    try {
      return await sendOn<Row>(await mine.connecting, text, parameters);
    } finally {
      // Also after the loss of the connection, which fails all of them: later statements get another one.
      if (--mine.users === 0) {
        shared = undefined;
        mine.connecting.then(
          (client) => client.release(),
          () => {},
        );
      }
    }
  };
}

/**
 * A transaction begins with its first statement: `begin` is sent without waiting for the response. If it fails the
 * connection is broken, and the statement after it fails. Statements that do not depend on each other's results are
 * sent together and run in the order of the calls.
 */
function beginOn(client: pg.PoolClient, observe: Observe, begin: string): Transaction {
  let isOver = false;
  let failure: unknown;
  send(client, observe, begin).catch(() => {});
  async function end(text: string): Promise<void> {
    isOver = true;
    const results = await send(client, observe, text).catch((error) => {
      throw isConsequence(error) ? (failure ?? error) : error;
    });
    // PostgreSQL does not fail the commit of a failed transaction: it rolls back.
    if ([results].flat().some((result) => (result as { command?: string }).command === "ROLLBACK"))
      throw failure ?? new Error("the transaction was rolled back by its commit");
    client.release();
  }
  return {
    query: async (text, parameters) => {
      // When one of several concurrent parts fails, another may continue: its statements after the rollback would run
      // in a transaction of their own.
      if (isOver) throw new Error("a statement was sent after the end of its transaction");
      try {
        return await send(client, observe, text, parameters);
      } catch (error) {
        // Statements pipelined after a failed one fail because of it: the first error decides whether to retry.
        failure ??= error;
        throw isConsequence(error) ? failure : error;
      }
    },
    begin: async () => {
      throw new Error("a transaction cannot begin within another");
    },
    commit: ({ unlocksEarly } = { unlocksEarly: false }) => end(unlocksEarly ? COMMIT_UNLOCKING : "commit"),
    rollback: async () => {
      isOver = true;
      try {
        await send(client, observe, "rollback");
      } finally {
        client.release();
      }
    },
  };
}

/**
 * Locks usually last until the commit is on disk, milliseconds after all that they protect: transactions that lock the
 * same row would follow each other at the pace of the disk. This commit does not wait for the disk; the message behind
 * it, a transaction of its own, does. It is later in the write-ahead log, so it is on disk only together with the
 * commit; and so is whatever another transaction wrote after it had seen this one.
 */
const COMMIT_UNLOCKING =
  "set local synchronous_commit = off; commit; select pg_logical_emit_message(true, 'millrace', 'flush')";

/** Calls `observe` with the seconds the statement took, failed or not; in a pipeline they include those before it. */
function send<Row>(
  client: pg.PoolClient,
  observe: Observe,
  text: string,
  parameters: unknown[] = [],
): Promise<Result<Row>> {
  const startedAt = performance.now();
  const done = () => observe((performance.now() - startedAt) / 1_000);
  const result = client.query(text, parameters) as Promise<Result<never>>;
  result.then(done, done);
  return result;
}
