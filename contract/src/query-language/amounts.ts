import { type NumberCondition, OPERATORS, QueryError, type Span } from "./types.ts";

const UNIT_MS = { w: 604_800_000, d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000, ms: 1 } as const;
const DURATION = /^(?=.)(?:(\d+)w)?(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?(?:(\d+)ms)?$/;
/** 100 years; anything longer is a typo. */
const MAX_DURATION_MS = 100 * 365 * UNIT_MS.d;
const INSTANT = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)?)?$/;

type Amount = Pick<NumberCondition, "operator" | "amount">;

/** `>30s`, `<=1h30m`. The operator is required: exact durations never match. */
export function readDurationBound(text: string, span: Span): Amount {
  const { operator, rest } = splitOperator(text);
  if (operator === undefined) throw new QueryError("needs an operator, as in duration:>30s", span);
  return { operator, amount: readDurationMs(rest, span) };
}

/** `3`, `>1`. */
export function readCount(text: string, span: Span): Amount {
  const { operator = "=", rest } = splitOperator(text);
  if (!/^\d{1,9}$/.test(rest)) throw new QueryError("must be a whole number, as in attempts:>1", span);
  return { operator, amount: Number(rest) };
}

/** `24h` (relative to now), or a date or time, in UTC unless it has a zone. */
export function readTime(text: string, span: Span): { at: string } | { ago_ms: number } {
  const match = INSTANT.exec(text);
  if (!match) return { ago_ms: readDurationMs(text, span) };
  const [, date = "", time = "", , , zone] = match;
  const at = new Date(time === "" ? `${date}T00:00:00Z` : `${text}${zone === undefined ? "Z" : ""}`);
  const day = new Date(`${date}T00:00:00Z`);
  const isDay = !Number.isNaN(day.getTime()) && day.toISOString().startsWith(date) && !date.startsWith("0000");
  if (!isDay || Number.isNaN(at.getTime()) || !/^\d{4}-/.test(at.toISOString())) {
    throw new QueryError("must be a date or time such as 2026-11-01 or 2026-11-01T12:00:00Z", span);
  }
  return { at: at.toISOString() };
}

/** Printed so that it parses back to the same duration. */
export function printDuration(ms: number): string {
  let rest = ms;
  const parts = Object.entries(UNIT_MS).map(([unit, size]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return count > 0 ? `${count}${unit}` : "";
  });
  return parts.join("") || "0s";
}

function readDurationMs(text: string, span: Span): number {
  const match = DURATION.exec(text);
  if (!match) throw new QueryError("must be a duration such as 30s, 24h, 7d or 1h30m", span);
  const units = Object.values(UNIT_MS);
  const ms = units.reduce<number>((sum, size, nth) => sum + Number(match[nth + 1] ?? 0) * size, 0);
  if (ms > MAX_DURATION_MS) throw new QueryError("must be at most 100 years", span);
  return ms;
}

function splitOperator(text: string) {
  const operator = OPERATORS.find((each) => text.startsWith(each));
  return { operator, rest: text.slice(operator?.length ?? 0) };
}
