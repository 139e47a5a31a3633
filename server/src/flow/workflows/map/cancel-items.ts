import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { fewRows } from "../../../platform/database/few-rows.ts";
import { sql } from "../../../platform/database/sql.ts";
import { groupBy } from "../../../platform/group-by.ts";
import { wake } from "../../../platform/wakeups/wake.ts";
import type { RunKey } from "../../runs/lock-runs.ts";
import { stopQueuedRuns } from "../../runs/stop/stop-queued.ts";

/** `keeps`: a running item stays `running` until it has ended, since it may still complete. */
type ItemsToCancel = {
  project_id: string;
  workflow_run_id: string;
  step_ref: string;
  reason: string;
  keeps: boolean;
};

/**
 * Cancels the items of map steps that have not ended: their job runs are stopped now, and ended through the outbox
 * after the commit. Workflow runs of items are canceled with all others that the step has started. Under the lock of
 * the workflow run.
 */
export async function cancelItems(tx: Ctx & InTransaction, steps: readonly ItemsToCancel[]): Promise<void> {
  if (steps.length === 0) return;
  for (const [project_id, runs] of groupBy(await moveItems(tx, steps), (run) => run.project_id)) {
    const run_ids = runs.map((run) => run.run_id);
    await stopQueuedRuns(tx, project_id, run_ids, "cancel");
    wake(tx, "outbox");
  }
}

/** Returns the job runs of the running items. */
async function moveItems(tx: Ctx & InTransaction, steps: readonly ItemsToCancel[]): Promise<RunKey[]> {
  const { rows } = await sql<RunKey>`
    with given as materialized (
      select * from json_to_recordset(${JSON.stringify(steps)}::json)
        as g(project_id uuid, workflow_run_id uuid, step_ref text, reason text, keeps boolean)
      where ${fewRows("g.reason")}
    ),
    running as materialized (
      select i.run_id, g.project_id, g.reason from given g, lateral (
        select i.run_id from map_items i
        where i.project_id = g.project_id and i.workflow_run_id = g.workflow_run_id and i.step_ref = g.step_ref
          and i.status = 'running' and i.run_id is not null offset 0
      ) i
    ),
    moved as (
      update map_items i set prev_status = i.status, status = 'canceled', finished_at = clock(), updated_at = clock()
      from given g
      where i.project_id = g.project_id and i.workflow_run_id = g.workflow_run_id and i.step_ref = g.step_ref
        and (i.status = 'pending' or (i.status = 'running' and not g.keeps))
    ),
    counted as (
      update map_steps m set pending = 0, running = case when g.keeps then m.running else 0 end from given g
      where m.project_id = g.project_id and m.workflow_run_id = g.workflow_run_id and m.step_ref = g.step_ref
    ),
    caused as (
      insert into outbox (project_id, transition_id, kind, target_id, detail, created_at)
      select project_id, run_id || ':item', 'cancel_run', run_id::text,
        jsonb_build_object('cause', 'workflow_ended', 'reason', reason), clock()
      from running
      on conflict (project_id, transition_id, kind, target_id) do nothing
    )
    select project_id, run_id from running`.execute(tx.db);
  return rows;
}
