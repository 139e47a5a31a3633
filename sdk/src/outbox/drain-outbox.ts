import type { ClientCore } from "../client/create-core.ts";
import { ApiError } from "../client/http/api-error.ts";
import { pause } from "../client/http/pause.ts";
import { type OutboxConnection, type OutboxPool, readRows, settleRows, type WaitingRow } from "./rows.ts";

/**
 * Options of `drainOutbox`.
 *
 * @example
 * const options: DrainOptions = { signal: AbortSignal.timeout(60_000), onError: (error) => console.error(error) };
 */
export type DrainOptions = {
  /** Ends the drain after the rows in progress. */
  signal?: AbortSignal | undefined;
  /** How often an empty table is read. Default: 200. */
  pollMs?: number | undefined;
  /** Called for each failed pass. The next one follows after a pause. */
  onError?: ((error: unknown) => void) | undefined;
  /** Called for each row that the service refused. It stays in the table with its error. */
  onRefused?: ((row: { id: string; job: string; error: ApiError }) => void) | undefined;
};

const AT_ONCE = 10;
const MAX_PAUSE_MS = 30_000;

/**
 * Triggers the jobs that were enqueued with `millrace.enqueue` in the database of `pool`, until `signal` is aborted: for
 * databases that the service may not reach. Any number of processes may run it; one at a time is active. A row whose run
 * exists is deleted; the row's id is the idempotency key, so a crash in between creates no second run.
 *
 * @example
 * const stop = new AbortController();
 * process.once("SIGTERM", () => stop.abort());
 * await drainOutbox(pool, client, { signal: stop.signal });
 */
export async function drainOutbox(pool: OutboxPool, client: ClientCore, options: DrainOptions = {}): Promise<void> {
  const { signal, pollMs = 200, onError } = options;
  let failures = 0;
  while (!signal?.aborted) {
    let waitMs = pollMs;
    try {
      const isMoreDue = await drainPage(pool, client, options);
      failures = 0;
      if (isMoreDue) continue;
    } catch (error) {
      if (signal?.aborted) return;
      onError?.(error);
      waitMs = Math.min(1_000 * 2 ** Math.min(failures++, 10), MAX_PAUSE_MS);
    }
    await pause(waitMs, signal).catch(() => {});
  }
}

/** Returns whether there may be more rows. Throws what stopped it, after it has recorded what was done. */
async function drainPage(pool: OutboxPool, client: ClientCore, options: DrainOptions): Promise<boolean> {
  const connection = await pool.connect();
  let isBroken = true;
  try {
    await connection.query("begin");
    const rows = await readRows(connection);
    const outcome = await triggerAll(client, rows, options);
    await settleRows(connection, outcome);
    await connection.query("commit");
    isBroken = false;
    if (outcome.failure !== undefined) throw outcome.failure;
    return rows.length > 0;
  } finally {
    await finish(connection, isBroken);
  }
}

/** A connection whose transaction did not end is closed, not returned to the pool. */
async function finish(connection: OutboxConnection, isBroken: boolean): Promise<void> {
  if (isBroken) await connection.query("rollback").catch(() => {});
  connection.release(isBroken);
}

type Outcome = {
  triggered: string[];
  refused: { id: string; code: string; message: string }[];
  /** What kept the remaining rows from being triggered. */
  failure: unknown;
};

/** Rows of one key in their order, different keys at once. */
async function triggerAll(client: ClientCore, rows: readonly WaitingRow[], options: DrainOptions): Promise<Outcome> {
  const outcome: Outcome = { triggered: [], refused: [], failure: undefined };
  const lists = byKey(rows);
  const work = async () => {
    for (let list = lists.shift(); list; list = lists.shift()) {
      for (const row of list) {
        if (outcome.failure !== undefined || options.signal?.aborted) return;
        await triggerOne(client, row, outcome, options);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return outcome;
}

function byKey(rows: readonly WaitingRow[]): WaitingRow[][] {
  const lists = new Map<string, WaitingRow[]>();
  for (const row of rows) {
    const { concurrency_key } = JSON.parse(row.options) as { concurrency_key?: unknown };
    const key = concurrency_key === undefined ? row.id : `key ${String(concurrency_key)}`;
    const list = lists.get(key);
    if (list) list.push(row);
    else lists.set(key, [row]);
  }
  return [...lists.values()];
}

/** An object and the payload, joined as text. */
function bodyOf({ options, payload }: WaitingRow): string {
  return options === "{}" ? `{"payload":${payload}}` : `${options.slice(0, -1)},"payload":${payload}}`;
}

/** Statuses of requests that fail again however often they are sent. */
const FINAL = new Set([400, 404, 409, 413, 422]);
const TEMPORARY_CODE = "conflict"; // the job kept changing

async function triggerOne(client: ClientCore, row: WaitingRow, outcome: Outcome, options: DrainOptions): Promise<void> {
  try {
    await client.request("POST", `/v1/jobs/${encodeURIComponent(row.job)}/trigger`, {
      bodyText: bodyOf(row),
      idempotencyKey: row.id,
    });
    outcome.triggered.push(row.id);
  } catch (error) {
    if (!(error instanceof ApiError && FINAL.has(error.status) && error.code !== TEMPORARY_CODE)) {
      outcome.failure ??= error;
      return;
    }
    outcome.refused.push({ id: row.id, code: error.code, message: error.message });
    options.onRefused?.({ id: row.id, job: row.job, error });
  }
}
