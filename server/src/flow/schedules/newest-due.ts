import { firesAfter, nextFire } from "../../platform/time/cron.ts";

type Due = { cron: string; timezone: string; next_fire_at: string };
type NewestDue = {
  scheduled_for: string;
  /** How many earlier times were missed; counted up to `MAX_COUNTED`. */
  missed: number;
};

/** A longer delay is an outage; after a shorter one, every missed time is fired. */
const OUTAGE_MS = 10_000;
export const MAX_COUNTED = 500;
const SECOND_MS = 1_000;

/** The time to fire for: the due one, or after an outage the newest of all due times. */
export function newestDue({ cron, timezone, next_fire_at }: Due, now: string): NewestDue {
  let newest: NewestDue = { scheduled_for: next_fire_at, missed: 0 };
  if (Date.parse(now) - Date.parse(next_fire_at) <= OUTAGE_MS) return newest;
  for (const fire of firesAfter(cron, timezone, next_fire_at)) {
    if (fire > now) return newest;
    newest = { scheduled_for: fire, missed: newest.missed + 1 };
    if (newest.missed === MAX_COUNTED) break;
  }
  return { ...newest, scheduled_for: lastFire({ cron, timezone, next_fire_at: newest.scheduled_for }, now) };
}

/** The newest scheduled time up to now, by bisection: an outage may span millions of them. */
function lastFire({ cron, timezone, next_fire_at }: Due, now: string): string {
  let last = next_fire_at;
  let noneAfter = Date.parse(now);
  const tryAfter = (ms: number) => {
    const next = nextFire(cron, timezone, new Date(ms).toISOString());
    const isDue = next !== null && next <= now;
    if (isDue) last = next;
    return isDue;
  };
  while (noneAfter - Date.parse(last) > SECOND_MS) {
    const middle = Math.floor((Date.parse(last) + noneAfter) / 2);
    if (!tryAfter(middle)) noneAfter = middle;
  }
  tryAfter(Date.parse(last));
  return last;
}
