import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { wake } from "../../../platform/wakeups/wake.ts";
import { workflowRunsChanged } from "../progress/progress-soon.ts";
import { WORKFLOWS_DUE_TOPIC } from "../workflow-run-changes.ts";
import { startWaiting, unblockAll } from "./start-waiting.ts";
import { lockLimitExclusive, type WorkflowKey, workflowSlot } from "./workflow-slots.ts";

/**
 * In the transaction that changes `max_concurrent_runs` to `max`: the active runs of the workflow take their slots,
 * also those that started without a limit, and waiting runs start in the free ones. Without a limit all may start, and
 * none is counted. No run of the workflow starts or ends meanwhile.
 */
export async function changeWorkflowLimit(
  tx: Ctx & InTransaction,
  { project_id, workflow_id, max }: WorkflowKey & { max: number | null },
): Promise<void> {
  const workflow = { project_id, workflow_id };
  await lockLimitExclusive(tx, workflow);
  const { rows } = await sql<{ active: number }>`
    insert into concurrency_counters (project_id, key, active)
    select ${project_id}, ${workflowSlot(workflow_id)}, count(*) filter (where ${max}::int is not null)::int
    from workflow_runs w
    where w.project_id = ${project_id} and w.workflow_id = ${workflow_id} and w.finished_at is null and w.holds_slot
    on conflict (project_id, key) do update set active = excluded.active
    returning active`.execute(tx.db);
  wake(tx, WORKFLOWS_DUE_TOPIC);
  if (max === null) await unblockAll(tx, workflow);
  else workflowRunsChanged(tx, await startWaiting(tx, { ...workflow, max, active: rows[0]?.active ?? 0 }));
}
