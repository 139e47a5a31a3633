import { parseDuration } from "../../src/platform/time/duration.ts";
import { runSql, type TestConnection } from "./database.ts";

export type TestClock = {
  /** Stops the clock at an instant. */
  set: (instant: string) => Promise<void>;
  /** Advances the clock and stops it there: `30s`, `5m`, `1h30m`. */
  pass: (duration: string) => Promise<void>;
  /** Sets the clock back by this much, as an operator or NTP does. */
  goBack: (duration: string) => Promise<void>;
  now: () => Promise<string>;
};

/** Moves the clock without notifying the instances, which read the new time with their next ping. */
export async function moveDatabaseClock(connection: TestConnection, instant: string): Promise<void> {
  await runSql(connection, "update tests.clock set stopped_at = $1", [instant]);
}

/** The clock of one world's database, shared by all instances on it. */
export function openClock(connection: TestConnection, afterChange: (nowMs: number) => Promise<void>): TestClock {
  let last: Promise<unknown> = Promise.resolve();
  /** Sequential: `pass` reads the time and then sets it, so one of two concurrent changes would be lost. */
  function alone(change: () => Promise<void>): Promise<void> {
    const done = last.then(change);
    last = done.catch(() => {});
    return done;
  }

  async function set(instant: string): Promise<void> {
    if (Number.isNaN(Date.parse(instant))) throw new Error(`not an instant: ${instant}`);
    await moveDatabaseClock(connection, new Date(instant).toISOString());
    await afterChange(Date.parse(instant));
  }

  async function now(): Promise<string> {
    const [row] = await runSql<{ now: Date }>(connection, "select clock() as now");
    if (!row) throw new Error("no time");
    return row.now.toISOString();
  }

  async function step(sign: 1 | -1, duration: string): Promise<void> {
    const parsed = parseDuration(duration);
    if (!parsed.ok) throw new Error(parsed.message);
    await set(new Date(Date.parse(await now()) + sign * parsed.secs * 1_000).toISOString());
  }

  return {
    set: (instant) => alone(() => set(instant)),
    pass: (duration) => alone(() => step(1, duration)),
    goBack: (duration) => alone(() => step(-1, duration)),
    now,
  };
}
