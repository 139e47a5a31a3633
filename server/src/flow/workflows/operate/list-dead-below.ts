import { sql } from "kysely";
import type { Ctx, InTransaction } from "../../../platform/context.ts";

type Parent = { step_ref: string; type: string };

/**
 * The dead letters in the workflow runs that steps have started, and in their descendants: retrying or skipping the
 * step makes them obsolete. Those of a completed map item stay, since the item stays.
 */
export async function listDeadBelow(
  tx: Ctx & InTransaction,
  { project_id, id }: { project_id: string; id: string },
  steps: readonly Parent[],
): Promise<string[]> {
  const parents = steps.filter(({ type }) => type === "map" || type === "sub_workflow");
  if (parents.length === 0) return [];
  const refs = parents.map(({ step_ref }) => step_ref);
  const { rows } = await sql<{ id: string }>`
    with recursive below as (
      select c.id from workflow_runs c
      where c.parent_workflow_run_id = ${id} and c.project_id = ${project_id}
        and split_part(c.parent_step_ref, '[', 1) = any(${refs}::text[])
        and not exists (
          select 1 from map_items i
          where i.project_id = c.project_id and i.workflow_run_id = ${id}
            and i.step_ref = split_part(c.parent_step_ref, '[', 1)
            and i.item_index = substring(c.parent_step_ref from '\\[(\\d+)\\]$')::integer
            and i.child_workflow_run_id = c.id and i.status = 'completed' offset 0)
      union all
      select c.id from below b, lateral (
        select c.id from workflow_runs c
        where c.parent_workflow_run_id = b.id and c.project_id = ${project_id} offset 0
      ) c
    )
    select r.id from below b, lateral (
      select r.id from runs r
      where r.project_id = ${project_id} and r.workflow_run_id = b.id and r.dead_lettered_at is not null offset 0
    ) r`.execute(tx.db);
  return rows.map((row) => row.id);
}
