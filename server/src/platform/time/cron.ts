import { Cron } from "croner";
import { type WallClock, wallClockOf } from "./wall-clock.ts";

type CronIssue = { field: "cron" | "timezone"; message: string };

const NO_ZONE = "must be an IANA time zone such as Europe/Berlin";

/** Without a year, an expression repeats every 400 years, so any start shows whether it ever fires. */
const ANY_START = new Date(0);

/** Issues of expression and zone. Five fields, six with seconds first, or a name such as `@hourly`; an IANA zone. */
export function cronIssues(expression: string, timezone: string): CronIssue[] {
  const pattern = readPattern(expression);
  const isNever = typeof pattern !== "string" && !pattern.nextRun(ANY_START);
  const message = isNever ? "never fires: there is no such day" : pattern;
  return [
    ...(typeof message === "string" ? [{ field: "cron" as const, message }] : []),
    ...(wallClockOf(timezone) ? [] : [{ field: "timezone" as const, message: NO_ZONE }]),
  ];
}

/** The first time after an instant. Null: none. */
export function nextFire(expression: string, timezone: string, afterIso: string): string | null {
  return nextFires(expression, timezone, afterIso, 1)[0] ?? null;
}

export function nextFires(expression: string, timezone: string, afterIso: string, count: number): string[] {
  const fires: string[] = [];
  for (const fire of firesAfter(expression, timezone, afterIso)) {
    fires.push(fire);
    if (fires.length === count) break;
  }
  return fires;
}

/** All times after an instant, generated lazily. */
export function* firesAfter(expression: string, timezone: string, afterIso: string): Generator<string> {
  const [pattern, zone] = [readPattern(expression), wallClockOf(timezone)];
  if (typeof pattern === "string" || !zone) return;
  let fire = firstAfter(pattern, zone, Date.parse(afterIso));
  while (fire !== null) {
    yield new Date(fire).toISOString();
    fire = firstAfter(pattern, zone, fire);
  }
}

/**
 * The pattern is evaluated in wall time without a zone, and the zone maps each time to an instant. A time that the
 * clocks skip fires at the first instant after; an hour that occurs twice fires the first time. The library on its own
 * would skip the one and repeat the other for every expression with a list, a range or a star.
 */
function firstAfter(pattern: Cron, zone: WallClock, afterMs: number): number | null {
  let wall = zone.at(afterMs);
  for (;;) {
    const next = pattern.nextRun(new Date(wall))?.getTime();
    if (next === undefined) return null;
    const instant = zone.instantOf(next);
    if (instant > afterMs) return instant;
    wall = zone.endOfRepeat(instant, afterMs) - 1;
  }
}

/** Returns the parsed expression, or its issue. */
function readPattern(expression: string): Cron | string {
  const fields = expression.trim().split(/\s+/);
  const isName = fields[0]?.startsWith("@");
  if (!isName && fields.length !== 5 && fields.length !== 6)
    return `has ${fields.length} fields; it needs five, or six with the seconds first`;
  // The library would parse it as a date, and fire once.
  if (expression.includes(":")) return "is not a cron expression";
  try {
    return new Cron(expression, { utcOffset: 0, mode: "5-or-6-parts" });
  } catch (error) {
    return `is not a cron expression: ${isName ? "there is no such name" : reasonOf(error)}`;
  }
}

/** The library counts days and months from 0 in its messages. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(/^\w+: /, "").replace(/(?<=for (?:day|month): )-?\d+/, (digits) => String(Number(digits) + 1));
}
