import type { UsagePeriod } from "@millrace/contract/usage";
import type { UsageRow } from "./queries.ts";

export function presentUsage(row: UsageRow): UsagePeriod {
  const { completed, failed, timed_out, canceled, compute_ms, compute_microusd, reported_microusd } = row;
  const { period_starts_at, period_ends_at, is_current, dispatches, input_tokens, output_tokens, updated_at } = row;
  return {
    period_starts_at,
    period_ends_at,
    is_current,
    runs: { total: completed + failed + timed_out + canceled, completed, failed, timed_out, canceled },
    dispatches,
    compute_seconds: compute_ms / 1_000,
    compute_microusd,
    reported_microusd,
    cost_microusd: Math.min(compute_microusd + reported_microusd, Number.MAX_SAFE_INTEGER),
    input_tokens,
    output_tokens,
    updated_at,
  };
}
