import type { PoolClient } from "pg";
import { pino } from "pino";
import { openPools, type Pools } from "../../src/platform/database/pools.ts";
import { LONG_TIMEOUTS } from "../../src/platform/database/timeouts.ts";
import { createNamed, dropDatabase, runSql, type TestConnection } from "./database.ts";
import { until } from "./until.ts";
import { WORLD_TEMPLATE } from "./world-template.ts";

/**
 * A database identical to its template, with the connections that earlier services left open: a session's catalog cache
 * and plans cost more to rebuild than most tests.
 */
export type WorldDatabase = { connection: TestConnection; schema: string; free: Pools[]; lent: Pools[] };

const ready: WorldDatabase[] = [];
const MAX_POOLS = 3;
const MAX_BYTES = 64 * 2 ** 20;

export async function takeDatabase(): Promise<WorldDatabase> {
  const known = ready.pop();
  if (known) return known;
  const connection = await createNamed(`template ${WORLD_TEMPLATE} strategy file_copy`);
  return { connection, schema: (await inspect(connection)).schema, free: [], lent: [] };
}

/**
 * Adds a service on the database. Connections it leaves open are detached from it when it ends, and kept for the next.
 */
export function lendPools(database: WorldDatabase): Pools {
  const pools = database.free.pop() ?? openPatientPools(database.connection);
  database.lent.push(pools);
  const sockets = { ...pools.sockets, closeAll: () => {} };
  return { ...pools, sockets, work: lend(pools.work), health: lend(pools.health) };
}

/**
 * One process runs all instances of a test, and the transactions for whose locks their statements wait. On a busy
 * machine it may stand still longer than the limits of a session, and then a statement would fail that has waited for
 * nothing but the process.
 */
const LIMITS = "set statement_timeout = '60s'; set idle_in_transaction_session_timeout = '60s'";

/**
 * Each session plans a statement once. A test reads few rows, and planning its statements took PostgreSQL longer than
 * executing them.
 */
const PLANS = "set plan_cache_mode = force_generic_plan";

function openPatientPools(connection: TestConnection): Pools {
  const pools = openPools(connection, connection, pino({ level: "silent" }), LONG_TIMEOUTS);
  pools.work.on("connect", (client) => {
    // Not awaited: a connection runs its statements in order, and a lost connection fails the next one.
    void client.query(`${LIMITS}; ${PLANS}`).catch(() => {});
    prepareAll(client);
  });
  return pools;
}

function prepareAll(client: PoolClient): void {
  const query = client.query.bind(client) as (...args: unknown[]) => unknown;
  client.query = ((text: unknown, ...rest: unknown[]) => {
    const [values, ...others] = rest;
    if (typeof text !== "string" || !Array.isArray(values) || values.length === 0) return query(text, ...rest);
    return query({ name: nameOf(text), text, values }, ...others);
  }) as typeof client.query;
}

const names = new Map<string, string>();

function nameOf(text: string): string {
  const name = names.get(text) ?? `test_${names.size}`;
  names.set(text, name);
  return name;
}

function lend<T extends Pools["work"]>(pool: T): T {
  let isEnded = false;
  const unlessEnded = (query: (...args: unknown[]) => unknown) => {
    return (...args: unknown[]) => (isEnded ? Promise.reject(new Error("the pool has ended")) : query(...args));
  };
  return Object.assign(Object.create(pool), {
    connect: unlessEnded(pool.connect.bind(pool) as never),
    query: unlessEnded(pool.query.bind(pool) as never),
    end: async () => {
      isEnded = true;
    },
  });
}

/** The next world gets a new database, whose statistics count nothing of earlier files. */
export async function dropReadyDatabases(): Promise<void> {
  await Promise.all(ready.splice(0).map(drop));
}

/** Called when no service uses it. A database that cannot be restored is dropped. */
export async function returnDatabase(database: WorldDatabase): Promise<void> {
  try {
    await until("the connections to be free", 2_000, () => database.lent.every(({ work }) => isAtRest(work)));
    // A service that ended while it considered the database unavailable would pass that state to the next.
    for (const { sockets } of database.lent) sockets.closeSilent();
    const { schema, bytes } = await inspect(database.connection);
    if (bytes > MAX_BYTES) throw new Error(`${bytes} bytes are too many to be deleted`);
    await runSql(database.connection, "select tests.reset()");
    if (schema !== database.schema) throw new Error("the schema was changed");
    const all = [...database.free, ...database.lent];
    await Promise.all(all.splice(MAX_POOLS).map(endPools));
    ready.push({ ...database, free: all, lent: [] });
  } catch {
    await drop(database);
  }
}

async function drop({ connection, free, lent }: WorldDatabase): Promise<void> {
  await Promise.all([...free, ...lent].map(endPools));
  await dropDatabase(connection);
}

function isAtRest(pool: Pools["work"]): boolean {
  return pool.idleCount === pool.totalCount && pool.waitingCount === 0;
}

async function endPools({ work, health, sockets }: Pools): Promise<void> {
  sockets.closeAll();
  await Promise.allSettled([work.end(), health.end()]);
}

/** `schema` changes with every statement that changes a table, function or constraint of the template. */
async function inspect(connection: TestConnection): Promise<{ schema: string; bytes: number }> {
  const [found] = await runSql<{ schema: string; bytes: number }>(
    connection,
    `select pg_database_size(current_database())::float8 as bytes, concat_ws(' ',
       (select sum(hashtext(a.xmin::text || a.attname)) from pg_attribute a
        where a.attrelid in (select to_regclass('public.' || quote_ident(name)) from tests.tables)),
       (select sum(hashtext(i.xmin::text)) from pg_index i
        where i.indrelid in (select to_regclass('public.' || quote_ident(name)) from tests.tables)),
       (select sum(hashtext(c.xmin::text)) from pg_constraint c
        where c.conrelid in (select to_regclass('public.' || quote_ident(name)) from tests.tables)),
       (select sum(hashtext(t.xmin::text)) from pg_trigger t),
       (select sum(hashtext(p.xmin::text)) from pg_proc p where p.pronamespace = 'public'::regnamespace)) as schema`,
  );
  if (!found) throw new Error("nothing was found");
  return found;
}
