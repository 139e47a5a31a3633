import type pg from "pg";
import { unavailable } from "./errors.ts";
import type { Log } from "./log.ts";
import type { Metrics } from "./metrics.ts";

const PING_EVERY_MS = 300;
const BUSY_MS = 100;
const PING_TIMEOUT_MS = 600; // with the interval: a silent database is noticed, and callers told, within a second

export type DatabaseWatch = {
  isUp: () => boolean;
  /** Gives up on `work` with 503 when the database falls silent meanwhile. */
  guard: <T>(work: Promise<T>) => Promise<T>;
  /** The database's time now, kept from the last ping: for expiry checks on cached rows. */
  nowMs: () => number;
  start: () => void;
  /** Asks at once instead of at the next turn. */
  ping: () => Promise<void>;
  stop: () => void;
};

/** Asks the database every 300 ms whether it is there, and what time it is. */
export function watchDatabase(healthPool: pg.Pool, log: Log, metrics: Metrics): DatabaseWatch {
  let up = true;
  let stopped = false;
  let clockOffsetMs = Date.now() - performance.now();
  let timer: NodeJS.Timeout | undefined;
  const waiting = new Set<() => void>();

  async function ping(): Promise<void> {
    const asked = askTime(healthPool);
    const answer = await Promise.race([asked, silence()]).catch(() => undefined);
    if (answer === undefined) return fell();
    clockOffsetMs = answer - performance.now();
    if (!up) log.info("the database is back");
    up = true;
    metrics.databaseUp.set(1);
  }

  function fell(): void {
    if (stopped) return;
    if (up) log.error("the database does not answer; requests get 503 until it does");
    up = false;
    metrics.databaseUp.set(0);
    for (const giveUp of [...waiting]) giveUp();
  }

  async function pingOn(): Promise<void> {
    await ping();
    if (!stopped) timer = setTimeout(() => void pingOn(), PING_EVERY_MS).unref();
  }

  function guard<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const giveUp = () => reject(unavailable("The database does not answer."));
      waiting.add(giveUp);
      work.then(resolve, reject).finally(() => waiting.delete(giveUp));
    });
  }

  return {
    start: () => void pingOn(),
    isUp: () => up,
    guard,
    nowMs: () => performance.now() + clockOffsetMs,
    ping,
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

async function askTime(healthPool: pg.Pool): Promise<number> {
  const { rows } = await healthPool.query<{ now_ms: number }>(
    "select extract(epoch from clock())::float8 * 1000 as now_ms",
  );
  return rows[0]?.now_ms ?? Number.NaN;
}

/** Gives up after the timeout, unless this process was too busy to hear: its own delay is not the database's silence. */
async function silence(): Promise<undefined> {
  for (;;) {
    const startedAt = performance.now();
    await pause(PING_TIMEOUT_MS);
    if (performance.now() - startedAt < PING_TIMEOUT_MS + BUSY_MS) return undefined;
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
