import { unavailable } from "../errors/errors.ts";
import type { Log } from "../logging/log.ts";
import type { Metrics } from "../metrics/metrics.ts";
import { isLate } from "./database-errors.ts";
import type { Database } from "./db.ts";
import type { Timeouts } from "./timeouts.ts";

const PING_EVERY_MS = 400; // more often than all else that an idle instance does
const BUSY_MS = 100;
const MIN_CHECKS = 2; // plus the interval between them: how soon a silent database is noticed
const PING = `select extract(epoch from clock())::float8 * 1000 as now_ms,
  current_setting('transaction_read_only') = 'on' as is_read_only`;

export type DatabaseWatch = {
  isUp: () => boolean;
  /** It responds, but is a standby, or `default_transaction_read_only` is on: reads work. */
  isReadOnly: () => boolean;
  /** Rejects `work` with 503 when the database is silent, or falls silent meanwhile. */
  guard: <T>(work: Promise<T>) => Promise<T>;
  /** The database's current time, extrapolated from the last ping: for expiry checks on cached rows. */
  nowMs: () => number;
  /** How long ago the database's clock jumped ahead; infinite if it never did. */
  sinceJumpMs: () => number;
  start: () => void;
  /** Pings now instead of at the next interval. */
  ping: () => Promise<void>;
  stop: () => void;
};

/** Why the database is unreachable. */
type Unreachable = { reason: string };
type WatchedDatabase = Pick<Database, "healthPool" | "sockets" | "hasStandbys">;
type Ping = { now_ms: number; is_read_only: boolean };

/** Pings the database all the time, and reads its time. */
export function watchDatabase(
  database: WatchedDatabase,
  log: Log,
  metrics: Metrics,
  timeouts: Timeouts,
): DatabaseWatch {
  let up = true;
  let readOnly = false;
  let stopped = false;
  let clockOffsetMs = Date.now() - performance.now();
  /** No less than the offset at the last ping: its response took some time. */
  let highestOffsetMs = Number.POSITIVE_INFINITY;
  let jumpedAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  let pings = 0;
  let newest = 0;
  const waiting = new Set<() => void>();

  async function ping(): Promise<void> {
    const number = ++pings;
    const sentAt = performance.now();
    const answer = await sendPing(database, timeouts);
    if (answer === "slow") return;
    if ("reason" in answer) return becameSilent(answer.reason);
    // A ping that was overtaken has an older time.
    if (number > newest) {
      newest = number;
      learnTime(answer.now_ms, sentAt);
    }
    noticeReadOnly(answer.is_read_only);
    if (!up) recovered();
    metrics.databaseUp.set(1);
  }

  function learnTime(now_ms: number, sentAt: number): void {
    clockOffsetMs = now_ms - performance.now();
    if (clockOffsetMs - highestOffsetMs > timeouts.clock_step_ms) {
      jumpedAt = performance.now();
      log.warn({ ahead_ms: Math.round(clockOffsetMs - highestOffsetMs) }, "the database's clock has jumped ahead");
    }
    highestOffsetMs = now_ms - sentAt;
  }

  function noticeReadOnly(isReadOnly: boolean): void {
    if (isReadOnly && !readOnly) {
      const reason = "it is a standby, or default_transaction_read_only is on";
      log.error({ reason }, "the database is read-only; writes get 503 until it is not");
    }
    if (readOnly && !isReadOnly) log.info("the database accepts writes again");
    readOnly = isReadOnly;
    // New connections find the host that is the primary now.
    if (isReadOnly && database.hasStandbys) database.sockets.closeAll();
  }

  function recovered(): void {
    database.sockets.closeSilent();
    log.info("the database is back");
    up = true;
  }

  function becameSilent(reason: string): void {
    if (stopped) return;
    if (up) {
      database.sockets.markSilence();
      log.error({ reason }, "the database does not respond; requests get 503 until it does");
    }
    up = false;
    metrics.databaseUp.set(0);
    for (const giveUp of [...waiting]) giveUp();
  }

  async function keepPinging(): Promise<void> {
    await ping();
    if (!stopped) timer = setTimeout(() => void keepPinging(), PING_EVERY_MS).unref();
  }

  function guard<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const giveUp = () => reject(unavailable("The database does not respond."));
      waiting.add(giveUp);
      work.then(
        (value) => {
          waiting.delete(giveUp);
          resolve(value);
        },
        (error) => {
          waiting.delete(giveUp);
          reject(error);
        },
      );
      if (!up) giveUp();
    });
  }

  return {
    start: () => void keepPinging(),
    isUp: () => up,
    isReadOnly: () => readOnly,
    guard,
    nowMs: () => performance.now() + clockOffsetMs,
    sinceJumpMs: () => performance.now() - jumpedAt,
    ping,
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

/**
 * The database's time and state; `slow` when the response is late: silence on the sockets decides whether it is
 * unreachable.
 */
async function sendPing(
  { healthPool, sockets }: WatchedDatabase,
  { check_every_ms, query_within_ms }: Timeouts,
): Promise<Ping | "slow" | Unreachable> {
  // Most of what an idle service does: an AbortController takes longer than the statement.
  const race = { isOver: false };
  try {
    const ping = { text: PING, query_timeout: query_within_ms };
    const pinged = healthPool.query<Ping>(ping).then(answerOf);
    return await Promise.race([pinged, silence(sockets, check_every_ms, race)]);
  } catch (error) {
    // Timers of a stalled process fire before it reads the bytes that arrived meanwhile.
    return isLate(error) ? "slow" : { reason: (error as Error).message || String((error as { code?: string }).code) };
  } finally {
    race.isOver = true;
  }
}

function answerOf({ rows }: { rows: Ping[] }): Ping {
  return rows[0] ?? { now_ms: Number.NaN, is_read_only: false };
}

/**
 * Resolves when nothing at all was received from the database between two checks. Checks that ran late are ignored,
 * since the delay of this process is not the database's silence.
 */
async function silence(
  sockets: WatchedDatabase["sockets"],
  checkEveryMs: number,
  race: { isOver: boolean },
): Promise<Unreachable> {
  for (let checks = 1; !race.isOver; checks++) {
    const startedAt = performance.now();
    const receivedBefore = sockets.receivedBytes();
    await pause(checkEveryMs);
    const wasBusy = performance.now() - startedAt > checkEveryMs + BUSY_MS;
    if (checks >= MIN_CHECKS && !wasBusy && sockets.receivedBytes() === receivedBefore) break;
  }
  return { reason: "it does not respond" };
}

/** Reads the bytes that arrived meanwhile first. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(() => setImmediate(resolve), ms).unref());
}
