import type { ProjectCtx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import type { WorkflowDefinition } from "./definition.ts";

/** Reads up to this many completed runs of a step; below the minimum there is no estimate. */
const MAX_SAMPLES = 100;
const MIN_SAMPLES = 5;
/** A step that seldom completes is searched only in this many of its version's newest runs. */
const MAX_RUNS = 1_000;

/** By step, the median duration of its completed runs: each walks back over the runs until it has enough. */
export async function readEstimates(
  ctx: ProjectCtx,
  version_id: string,
  { steps }: Pick<WorkflowDefinition, "steps">,
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ step_ref: string; estimate_ms: number }>`
    with oldest as materialized (
      select id from workflow_runs where project_id = ${ctx.project_id} and version_id = ${version_id}
      order by id desc offset ${MAX_RUNS - 1} limit 1
    )
    select g.step_ref, m.estimate_ms
    from unnest(${steps.map(({ step_ref }) => step_ref)}::text[]) as g(step_ref), lateral (
      select count(*) as samples, percentile_cont(0.5) within group (order by t.ms) as estimate_ms
      from (
        select extract(epoch from s.finished_at - s.started_at)::float8 * 1000 as ms
        from workflow_runs w
        join step_runs s on s.project_id = w.project_id and s.workflow_run_id = w.id and s.step_ref = g.step_ref
        where w.project_id = ${ctx.project_id} and w.version_id = ${version_id}
          and w.id >= coalesce((select id from oldest), '00000000-0000-0000-0000-000000000000')
          and s.status = 'completed' and s.started_at is not null
        order by w.id desc limit ${MAX_SAMPLES}
      ) t
    ) m
    where m.samples >= ${MIN_SAMPLES}`.execute(ctx.db);
  return new Map(rows.map(({ step_ref, estimate_ms }) => [step_ref, wholeMs(estimate_ms)]));
}

/** Never negative, though clocks may be set back. */
export function wholeMs(ms: number): number {
  return Math.max(Math.round(ms), 0);
}
