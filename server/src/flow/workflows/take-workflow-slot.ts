import { sql } from "kysely";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import type { LockedWorkflowRun } from "./loaded-run.ts";
import { workflowSlot } from "./release-workflow-slots.ts";

/** Takes a slot of `max_concurrent_runs`, whether one is free or not. False: the workflow has no such limit. */
export async function takeWorkflowSlot(
  tx: Ctx & InTransaction,
  { project_id, workflow_id }: LockedWorkflowRun,
): Promise<boolean> {
  const { rows } = await sql`
    insert into concurrency_counters (project_id, key, active)
    select project_id, ${workflowSlot(workflow_id)}, 1 from workflows
    where project_id = ${project_id} and id = ${workflow_id} and max_concurrent_runs is not null
    on conflict (project_id, key) do update set active = concurrency_counters.active + 1
    returning 1`.execute(tx.db);
  return rows.length > 0;
}
