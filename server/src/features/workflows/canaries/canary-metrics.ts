import type { CanaryComparison, VersionMetrics } from "@millrace/contract/canaries";
import { probabilityWorse } from "../../../flow/workflows/versions/probability-worse.ts";
import { visible } from "../../../platform/access/policies/visibility.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import type { CanaryRow } from "./canary-queries.ts";
import { type RoutedRuns, readRoutedRuns } from "./routed-runs.ts";

/** Covers the runs that the caller may see. */
export async function compareVersions(ctx: ProjectCtx, canary: CanaryRow): Promise<CanaryComparison["metrics"]> {
  const { source, target } = await readRoutedRuns(ctx, canary, visible(ctx, "workflow_runs", "r"));
  const isKnown = source.good + source.bad > 0 && target.good + target.bad > 0;
  return {
    source: metricsOf(source, canary.source_version),
    target: metricsOf(target, canary.target_version),
    probability_target_worse: isKnown ? rounded(probabilityWorse(source, target)) : null,
  };
}

function metricsOf(
  { version_id, runs, active_runs, good, bad, percentiles }: RoutedRuns,
  version: number,
): VersionMetrics {
  const ended = good + bad;
  const [p50_ms, p95_ms, p99_ms] = (percentiles ?? [null, null, null]).map((ms) =>
    ms === null ? null : Math.round(ms),
  );
  return {
    version,
    version_id,
    runs,
    active_runs,
    success_rate: ended === 0 ? null : rounded(good / ended),
    error_rate: ended === 0 ? null : rounded(bad / ended),
    p50_ms: p50_ms ?? null,
    p95_ms: p95_ms ?? null,
    p99_ms: p99_ms ?? null,
  };
}

function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
