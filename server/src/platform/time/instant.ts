import { invalid } from "../errors/errors.ts";

const YEAR_1 = Date.parse("0001-01-01T00:00:00Z");
const YEAR_10000 = Date.parse("+010000-01-01T00:00:00Z");

/**
 * Normalizes a time sent by a caller. The schema's `date-time` also accepts times that PostgreSQL does not: year 0,
 * offsets of a day, leap seconds.
 */
export function parseInstant(location: string, text: string): string {
  const instant = Date.parse(text);
  if (instant >= YEAR_1 && instant < YEAR_10000) return new Date(instant).toISOString();
  throw invalid(location, "must be a time between the years 1 and 9999, as in 2030-01-31T12:00:00Z", text);
}
