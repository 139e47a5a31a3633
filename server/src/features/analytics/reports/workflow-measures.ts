import { sql } from "kysely";
import type { ProjectCtx } from "../../../platform/context.ts";
import { isId } from "../../../platform/ids.ts";
import type { Durations } from "./distribution.ts";
import { durationsOf, endsOf, ratio, successRate } from "./measures.ts";
import type { Counts } from "./series.ts";

/** An end that a retry reset does not count as an end. */
export function ratesOf(counts: Counts<"workflows">) {
  const ended = Math.max(0, endsOf(counts) - counts.retried);
  return { completion_rate: ratio(ended, counts.started), success_rate: successRate(counts) };
}

export function workflowMeasures({ counts, durations }: { counts: Counts<"workflows">; durations: Durations }) {
  const { duration_ms, ...shown } = counts;
  return { ...shown, ...ratesOf(counts), ...durationsOf(durations, duration_ms) };
}

type Named = { workflow_id?: string; job_id?: string };

/** The requested workflows: by name, or those with a step of a job in their current version. Undefined: all. */
export async function workflowsNamed(ctx: ProjectCtx, { workflow_id, job_id }: Named): Promise<string[] | undefined> {
  if (workflow_id === undefined && job_id === undefined) return undefined;
  if (workflow_id !== undefined && isId(workflow_id) && job_id === undefined) return [workflow_id];
  const byName = workflow_id === undefined ? sql`true` : sql`(w.id::text = ${workflow_id} or w.slug = ${workflow_id})`;
  const byJob =
    job_id === undefined
      ? sql`true`
      : sql`exists (
          select 1 from workflow_versions v, jobs j
          where v.project_id = w.project_id and v.id = w.version_id
            and j.project_id = w.project_id and (j.id::text = ${job_id} or j.slug = ${job_id})
            and (v.steps @> jsonb_build_array(jsonb_build_object('job_id', j.id))
              or v.steps @> jsonb_build_array(jsonb_build_object('job_id', j.slug))))`;
  const { rows } = await sql<{ id: string }>`
    select w.id from workflows w
    where w.project_id = ${ctx.project_id} and w.deleted_at is null and ${byName} and ${byJob}`.execute(ctx.db);
  return rows.map(({ id }) => id);
}

export type WorkflowName = { slug: string; versions: Record<string, number> };

export async function readWorkflowNames(
  ctx: ProjectCtx,
  ids: readonly string[],
  version_ids: readonly string[],
): Promise<Map<string, WorkflowName>> {
  const { rows } = await sql<WorkflowName & { id: string }>`
    select w.id, w.slug, coalesce((
      select json_object_agg(v.id, v.version) from workflow_versions v
      where v.project_id = w.project_id and v.workflow_id = w.id and v.id = any(${version_ids}::uuid[])), '{}') as versions
    from workflows w where w.project_id = ${ctx.project_id} and w.id = any(${ids}::uuid[])`.execute(ctx.db);
  return new Map(rows.map((row) => [row.id, row]));
}
