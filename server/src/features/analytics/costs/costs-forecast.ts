import type { CostReport } from "@millrace/contract/cost-report";
import { DAY_MS } from "../reports/range.ts";
import type { Period } from "./costs-period.ts";

const MAX_DAYS = 7;
const MIN_ELAPSED_MS = 3_600_000; // a project's first minutes say nothing about a month

type Days = readonly { starts_at: string; total_microusd: number }[];
type Forecast = NonNullable<CostReport["forecast"]>;

/**
 * The cost of the period at its end: the cost before today, today as at least a mean day, and mean days until the end.
 * The mean covers the last full days, at most seven, or the elapsed time before there is a full day. Days before the
 * project was created do not count.
 */
export function forecastCosts(
  days: Days,
  { starts_ms, ends_ms }: Period,
  { now_ms, created_ms }: { now_ms: number; created_ms: number },
): Forecast {
  const today_ms = Math.floor(now_ms / DAY_MS) * DAY_MS;
  const spentOn = new Map(days.map((day) => [Date.parse(day.starts_at), BigInt(day.total_microusd)]));
  const firstSpent_ms = Math.min(...spentOn.keys()); // costs from before its creation exist only if they were imported
  const begins_ms = Math.max(starts_ms, firstSpent_ms + DAY_MS <= created_ms ? firstSpent_ms : created_ms);
  const count = Math.min(MAX_DAYS, today_ms / DAY_MS - Math.ceil(begins_ms / DAY_MS));
  const today = spentOn.get(today_ms) ?? 0n;
  const before = [...spentOn].reduce((sum, [at, spent]) => (at < today_ms ? sum + spent : sum), 0n);
  if (count <= 0) return fromElapsed(before + today, ends_ms - begins_ms, Math.max(now_ms - begins_ms, MIN_ELAPSED_MS));
  let last = 0n;
  for (let nth = 1; nth <= count; nth++) last += spentOn.get(today_ms - nth * DAY_MS) ?? 0n;
  const perDay = divided(last, count);
  const ahead = BigInt(Math.round((ends_ms - today_ms) / DAY_MS) - 1);
  const total = before + (today > perDay ? today : perDay) + perDay * ahead;
  return { total_microusd: exact(total), basis: "full_days", days: count, per_day_microusd: exact(perDay) };
}

function fromElapsed(spent: bigint, period_ms: number, elapsed_ms: number): Forecast {
  const total = divided(spent * BigInt(period_ms), Math.min(elapsed_ms, period_ms));
  const perDay = divided(spent * BigInt(DAY_MS), elapsed_ms);
  return { total_microusd: exact(total), basis: "elapsed_time", days: 0, per_day_microusd: exact(perDay) };
}

/** Rounds to the nearest integer. */
function divided(amount: bigint, by: number): bigint {
  const divisor = BigInt(Math.round(by));
  return (2n * amount + divisor) / (2n * divisor);
}

function exact(amount: bigint): number {
  return Number(amount > BigInt(Number.MAX_SAFE_INTEGER) ? BigInt(Number.MAX_SAFE_INTEGER) : amount);
}
