import { sql } from "kysely";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import type { LockedWorkflowRun } from "./progress/loaded-run.ts";
import type { WorkflowRunKey } from "./workflow-run-key.ts";

const SMALL_BYTES = 4_000;

/**
 * Locks workflow runs by id, before their steps, triggers and runs. Every writer of a step holds this lock: when two
 * siblings end at once, one transaction sees both, so their common dependents start, and start once.
 */
export async function lockWorkflowRuns(
  tx: Ctx & InTransaction,
  keys: readonly WorkflowRunKey[],
): Promise<LockedWorkflowRun[]> {
  const { rows } = await sql<LockedWorkflowRun>`
    /* prepared */
    select w.project_id, w.id, w.workflow_id, w.version_id, w.environment_id, w.status, w.moves, w.tags,
      p.has_payload, case when p.has_payload then w.payload end as payload,
      w.metadata, w.decisions, w.holds_slot, w.root_workflow_run_id, w.depth, w.planned_end,
      w.stopped, w.pause_inherited
    from (
      select distinct project_id, workflow_run_id
      from json_to_recordset(${JSON.stringify(keys)}::json) as k(project_id uuid, workflow_run_id uuid)
      order by workflow_run_id
    ) g, lateral (
      select * from workflow_runs w where w.project_id = g.project_id and w.id = g.workflow_run_id for no key update
    ) w, lateral (select pg_column_size(w.payload) <= ${SMALL_BYTES} as has_payload) p`.execute(tx.db);
  return rows;
}
