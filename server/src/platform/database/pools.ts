import { createHash } from "node:crypto";
import pg from "pg";
import type { Log } from "../logging/log.ts";
import type { DatabaseConnection } from "./connection.ts";
import { type DatabaseSockets, openDatabaseSockets } from "./database-sockets.ts";
import { millraceTypes } from "./postgres-types.ts";
import { isDirect, sessionSettings } from "./session-settings.ts";
import type { Timeouts } from "./timeouts.ts";

/** The connections of a database. */
export type Pools = {
  work: pg.Pool;
  health: pg.Pool;
  direct: DatabaseConnection;
  sockets: DatabaseSockets;
  /** The message that begins a transaction. */
  begin: string;
};

const MAX_AT_WORK = 10;

/** A connection that only listens notices a dead peer only by these probes. */
const PROBES = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 };

export function openPools(
  connection: DatabaseConnection,
  directConnection: DatabaseConnection,
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

/** A statement with this prefix is planned once per connection instead of at every call. */
const MARK = "/* prepared */";

const names = new Map<string, string>();

/** PostgreSQL would plan a prepared statement with its values five times per connection before it keeps a plan. */
const KEEP_FIRST_PLAN = "set plan_cache_mode = force_generic_plan";
const PLAN_WITH_VALUES = "set plan_cache_mode = auto";

/**
 * Lets a connection keep the plans of marked statements, whose text must not vary, from their first call on. Not behind a
 * pooler, which may route the next call to another connection. See `README.md`.
 */
function prepareStatements(client: pg.PoolClient): void {
  const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>;
  let keepsFirst = false;
  /** A rollback restores it. */
  let keptBefore = false;

  function choosePlans(isMarked: boolean): void {
    if (isMarked === keepsFirst) return;
    keepsFirst = isMarked;
    query(isMarked ? KEEP_FIRST_PLAN : PLAN_WITH_VALUES).catch(() => {}); // the statement after it fails too
  }

  client.query = ((text: unknown, ...rest: unknown[]) => {
    if (text === "begin") keptBefore = keepsFirst;
    if (text === "rollback") keepsFirst = keptBefore;
    const [values, ...others] = rest;
    if (typeof text !== "string" || !Array.isArray(values)) return query(text, ...rest);
    const isMarked = text.startsWith(MARK, text.search(/\S/));
    if (values.length > 0) choosePlans(isMarked);
    return isMarked ? query({ name: nameOf(text), text, values }, ...others) : query(text, ...rest);
  }) as typeof client.query;
}

function nameOf(text: string): string {
  const known = names.get(text);
  if (known) return known;
  const name = `prepared_${createHash("sha256").update(text).digest("hex").slice(0, 24)}`;
  names.set(text, name);
  return name;
}
