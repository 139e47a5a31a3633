import type { AutoPromoteConfig } from "@millrace/contract/canaries";
import { sql } from "kysely";
import type { CanaryEvidence } from "../../../flow/workflows/versions/evaluate-canary.ts";
import type { Ctx } from "../../../platform/context.ts";
import type { CanaryRow } from "./canary-queries.ts";
import { MAX_JUDGED, type RoutedRuns, readRoutedRuns } from "./routed-runs.ts";

/** The share of the source's runs that took longer than its p95. */
const BEYOND_P95 = 0.05;

/** The data that a canary is judged by, over all environments. */
export async function readEvidence(
  ctx: Ctx,
  canary: CanaryRow,
  { max_p95_increase }: AutoPromoteConfig,
): Promise<CanaryEvidence> {
  const { source, target } = await readRoutedRuns(ctx, canary);
  const p95 = source.percentiles?.[1] ?? null;
  const limit_ms = p95 === null || max_p95_increase === null ? null : p95 * (1 + max_p95_increase);
  const { share_secs, share_runs, slow_runs } = await readShare(ctx, canary, limit_ms);
  return {
    traffic_pct: canary.traffic_pct,
    share_secs,
    share_runs,
    source,
    target,
    slow: limit_ms === null ? null : { source: beyondP95(source), target: tally(target.good, slow_runs) },
  };
}

function beyondP95({ good }: RoutedRuns) {
  return tally(good, good * BEYOND_P95);
}

function tally(runs: number, bad: number) {
  return { good: runs - bad, bad };
}

type Share = Pick<CanaryEvidence, "share_secs" | "share_runs"> & { slow_runs: number };

async function readShare(ctx: Ctx, canary: CanaryRow, limit_ms: number | null): Promise<Share> {
  const { rows } = await sql<Share>`
    select extract(epoch from clock() - c.traffic_since)::float8 as share_secs,
      count(*) filter (where s.status <> 'canceled' and s.created_at >= c.traffic_since)::int as share_runs,
      count(*) filter (where s.status = 'completed' and s.took_ms > ${limit_ms}::float8)::int as slow_runs
    from canaries c
    left join lateral (
      select r.status, r.created_at, extract(epoch from r.finished_at - r.started_at)::float8 * 1000 as took_ms
      from workflow_runs r
      where r.project_id = c.project_id and r.canary_id = c.id and r.version_id = c.target_version_id
        and r.finished_at is not null
      order by r.finished_at desc limit ${MAX_JUDGED}
    ) s on true
    where c.project_id = ${canary.project_id} and c.id = ${canary.id}
    group by c.project_id, c.id`.execute(ctx.db);
  return rows[0] as Share;
}
