import type pg from "pg";
import type { DatabaseConnection } from "./connection.ts";
import type { Timeouts } from "./timeouts.ts";

export type SessionSettings = {
  /** Sent in the startup message of a connection. A pooler rejects unknown ones. */
  startup: pg.ClientConfig;
  /** Sent first on a new connection. */
  onConnect: string | undefined;
  begin: string;
};

const STATEMENT_MS = 5_000;
const IDLE_IN_TRANSACTION_MS = 10_000;
/** JIT compilation took more than half of the time of our statements, which read few rows with expensive plans. */
const NO_JIT = "jit = off";

/**
 * Session settings. Behind a pooler in transaction mode sessions are shared: there each transaction sets them itself,
 * in the message that begins it.
 */
export function sessionSettings(
  connection: DatabaseConnection,
  directConnection: DatabaseConnection,
  { lock_within_ms }: Pick<Timeouts, "lock_within_ms">,
): SessionSettings {
  const limits = {
    statement_timeout: STATEMENT_MS,
    lock_timeout: lock_within_ms,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
  };
  if (isDirect(connection, directConnection)) {
    // Prepared plans need the first of them (`prepareStatements`).
    return { startup: limits, onConnect: `set enable_seqscan = off; set ${NO_JIT}`, begin: "begin" };
  }
  const schema = connection.schema === undefined ? [] : [`search_path = ${connection.schema}`];
  const local = [NO_JIT, ...schema, ...Object.entries(limits).map(([name, ms]) => `${name} = ${ms}`)];
  return {
    startup: {},
    onConnect: undefined,
    begin: ["begin", ...local.map((each) => `set local ${each}`)].join("; "),
  };
}

/** There is a pooler if the direct connection differs. */
export function isDirect(connection: pg.ClientConfig, direct: pg.ClientConfig): boolean {
  return (["connectionString", "host", "port"] as const).every((name) => connection[name] === direct[name]);
}
