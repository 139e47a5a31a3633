import { sql } from "kysely";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import { notifyProgress } from "./notify-progress.ts";
import { progressSoon } from "./progress-soon.ts";
import { startWaiting, unblockAll } from "./start-waiting.ts";
import type { WorkflowRunKey } from "./workflow-run-key.ts";
import { holdLimit, type WorkflowKey, workflowSlot } from "./workflow-slots.ts";

/**
 * In the transaction that changes `max_concurrent_runs` to `most`: the active runs of the workflow take their slots,
 * also those that started without a limit, and waiting runs start in the free ones. Without a limit all may start. No
 * run of the workflow starts or ends meanwhile. Returns the started runs, for after the commit.
 */
export async function changeWorkflowLimit(
  tx: Ctx & InTransaction,
  { project_id, workflow_id, most }: WorkflowKey & { most: number | null },
): Promise<WorkflowRunKey[]> {
  const workflow = { project_id, workflow_id };
  await holdLimit(tx, workflow);
  const { rows } = await sql<{ active: number }>`
    insert into concurrency_counters (project_id, key, active)
    select ${project_id}, ${workflowSlot(workflow_id)}, count(*)::int from workflow_runs w
    where w.project_id = ${project_id} and w.workflow_id = ${workflow_id} and w.finished_at is null and w.holds_slot
    on conflict (project_id, key) do update set active = excluded.active
    returning active`.execute(tx.db);
  if (most !== null) return startWaiting(tx, { ...workflow, most, active: rows[0]?.active ?? 0 });
  await unblockAll(tx, workflow);
  return [];
}

/** After the commit. */
export function notifyLimitChanged(ctx: Ctx, started: readonly WorkflowRunKey[]): void {
  const changed = [...started];
  const none = { notifications: [], next: [], lanes: [] };
  notifyProgress(ctx, { ...none, changed, has_outbox_entries: started.length > 0, freed: true });
  progressSoon(ctx, changed);
}
