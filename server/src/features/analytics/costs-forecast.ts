import type { CostReport } from "@millrace/contract/cost-analytics";
import type { Period } from "./costs-period.ts";
import { DAY_MS } from "./range.ts";

const MOST_DAYS = 7;

/**
 * What the period will have cost at its end: what was spent before today, today at least as a mean day, and mean days
 * until the end. The mean is that of the last full days of the period, at most seven; on its first day, of the time that
 * has passed.
 */
export function forecastCosts(
  days: readonly { starts_at: string; total_microusd: number }[],
  { starts_ms, ends_ms }: Period,
  now_ms: number,
): NonNullable<CostReport["forecast"]> {
  const today_ms = Math.floor(now_ms / DAY_MS) * DAY_MS;
  const spentOn = new Map(days.map((day) => [Date.parse(day.starts_at), BigInt(day.total_microusd)]));
  const today = spentOn.get(today_ms) ?? 0n;
  const count = Math.min(MOST_DAYS, (today_ms - starts_ms) / DAY_MS);
  if (count === 0) return fromElapsed(today, ends_ms - starts_ms, Math.max(now_ms - starts_ms, 1));
  let last = 0n;
  for (let nth = 1; nth <= count; nth++) last += spentOn.get(today_ms - nth * DAY_MS) ?? 0n;
  const perDay = divided(last, count);
  const before = [...spentOn].reduce((sum, [at, spent]) => (at < today_ms ? sum + spent : sum), 0n);
  const ahead = BigInt(Math.round((ends_ms - today_ms) / DAY_MS) - 1);
  const total = before + (today > perDay ? today : perDay) + perDay * ahead;
  return { total_microusd: exact(total), basis: "full_days", days: count, per_day_microusd: exact(perDay) };
}

function fromElapsed(spent: bigint, period_ms: number, elapsed_ms: number): NonNullable<CostReport["forecast"]> {
  const total = divided(spent * BigInt(period_ms), elapsed_ms);
  const perDay = divided(spent * BigInt(DAY_MS), elapsed_ms);
  return { total_microusd: exact(total), basis: "elapsed_time", days: 0, per_day_microusd: exact(perDay) };
}

/** Rounded to the nearest. */
function divided(amount: bigint, by: number): bigint {
  const divisor = BigInt(Math.round(by));
  return (2n * amount + divisor) / (2n * divisor);
}

function exact(amount: bigint): number {
  return Number(amount > BigInt(Number.MAX_SAFE_INTEGER) ? BigInt(Number.MAX_SAFE_INTEGER) : amount);
}
