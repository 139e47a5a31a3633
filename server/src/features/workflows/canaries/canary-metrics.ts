import type { CanaryComparison, VersionMetrics } from "@millrace/contract/workflows/canaries";
import { probabilityWorse } from "../../../flow/workflows/versions/probability-worse.ts";
import { visible } from "../../../platform/access/policies/visibility.ts";
import type { Ctx, ProjectCtx } from "../../../platform/context.ts";
import { type Sql, sql } from "../../../platform/database/sql.ts";
import type { CanaryRow } from "./canary-queries.ts";

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

/** The outcomes of the runs that a canary routed to one version. */
export type RoutedRuns = {
  version_id: string;
  runs: number;
  active_runs: number;
  /** Counts of the newest ended runs: completed, and failed or timed out. Canceled ones are ignored. */
  good: number;
  bad: number;
  /** p50, p95 and p99 of completed runs, in milliseconds. */
  percentiles: [number, number, number] | null;
};

/** Bounds the sample, so that a canary that has run for months is evaluated by recent runs, and as quickly. */
export const MAX_SAMPLE = 10_000;

export async function readRoutedRuns(
  ctx: Ctx,
  { project_id, id, source_version_id, target_version_id }: CanaryRow,
  seen: Sql = sql`true`,
): Promise<{ source: RoutedRuns; target: RoutedRuns }> {
  const { rows } = await sql<RoutedRuns>`
    select v.version_id, t.*, e.*
    from unnest(${[source_version_id, target_version_id]}::uuid[]) as v(version_id)
    cross join lateral (
      select count(*)::int as runs, count(*) filter (where r.finished_at is null)::int as active_runs
      from workflow_runs r
      where r.project_id = ${project_id} and r.canary_id = ${id} and r.version_id = v.version_id and ${seen}
    ) t
    cross join lateral (
      select count(*) filter (where s.status = 'completed')::int as good,
        count(*) filter (where s.status in ('failed', 'timed_out'))::int as bad,
        percentile_cont(array[0.5, 0.95, 0.99]) within group (order by s.took_ms)
          filter (where s.status = 'completed') as percentiles
      from (
        select r.status, extract(epoch from r.finished_at - r.started_at)::float8 * 1000 as took_ms
        from workflow_runs r
        where r.project_id = ${project_id} and r.canary_id = ${id} and r.version_id = v.version_id
          and r.finished_at is not null and ${seen}
        order by r.finished_at desc limit ${MAX_SAMPLE}
      ) s
    ) e`.execute(ctx.db);
  const of = (version_id: string) => rows.find((row) => row.version_id === version_id) as RoutedRuns;
  return { source: of(source_version_id), target: of(target_version_id) };
}
