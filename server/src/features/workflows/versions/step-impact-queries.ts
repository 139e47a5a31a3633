import type { StepImpact } from "@millrace/contract/workflow-versions";
import { sql } from "kysely";
import { visible } from "../../../platform/access/policies/visibility.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import type { VersionRow } from "./version-queries.ts";

type VersionImpact = { of_runs: number; steps: StepImpact[] };
type Row = Omit<StepImpact, "durations"> & { of_runs: number; took: number[] | null };

/**
 * The outcome and duration of each step in the newest runs of a version: reads the runs first, then their steps by key.
 */
export async function readStepImpact(ctx: ProjectCtx, version: VersionRow, max: number): Promise<VersionImpact> {
  const { rows } = await sql<Row>`
    with sampled as materialized (
      select r.id from workflow_runs r
      where r.project_id = ${ctx.project_id} and r.version_id = ${version.id} and ${visible(ctx, "workflow_runs", "r")}
      order by r.id desc limit ${max}
    )
    select s.step_ref, min(s.type) as type, count(*)::int as of_runs,
      count(*) filter (where s.started_at is not null)::int as reached,
      count(*) filter (where s.status = 'completed')::int as completed,
      count(*) filter (where s.status = 'failed')::int as failed,
      count(*) filter (where s.started_at is not null and s.finished_at is null)::int as open,
      count(*) filter (where s.status = 'skipped')::int as skipped,
      count(*) filter (where s.status = 'canceled')::int as canceled,
      percentile_cont(array[0.05, 0.25, 0.5, 0.75, 0.95]) within group
        (order by extract(epoch from s.finished_at - s.started_at)::float8 * 1000)
        filter (where s.status = 'completed' and s.started_at is not null) as took
    from sampled w, lateral (
      select s.step_ref, s.type, s.status, s.position, s.started_at, s.finished_at from step_runs s
      where s.project_id = ${ctx.project_id} and s.workflow_run_id = w.id offset 0
    ) s
    group by s.step_ref order by min(s.position)`.execute(ctx.db);
  const steps = rows.map(({ of_runs: _, took, ...step }) => ({ ...step, durations: durationsOf(took) }));
  return { of_runs: Math.max(0, ...rows.map(({ of_runs }) => of_runs)), steps };
}

/** Never negative, even if clocks were set back. */
function durationsOf(took: number[] | null): StepImpact["durations"] {
  if (took === null) return null;
  const [p5_ms = 0, p25_ms = 0, p50_ms = 0, p75_ms = 0, p95_ms = 0] = took.map((ms) => Math.max(0, Math.round(ms)));
  return { p5_ms, p25_ms, p50_ms, p75_ms, p95_ms };
}
