import { invalid } from "./errors.ts";

const YEAR_1 = Date.parse("0001-01-01T00:00:00Z");
const YEAR_10000 = Date.parse("+010000-01-01T00:00:00Z");

/**
 * A time that a caller sent, as the service writes times. The schema's `date-time` also takes what PostgreSQL does
 * not: the year 0, offsets of a day, a second that leaps.
 */
export function parseInstant(location: string, text: string): string {
  const instant = Date.parse(text);
  if (instant >= YEAR_1 && instant < YEAR_10000) return new Date(instant).toISOString();
  throw invalid(location, "must be a time between the years 1 and 9999, as in 2030-01-31T12:00:00Z", text);
}
