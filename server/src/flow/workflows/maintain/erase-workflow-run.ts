import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { eraseDeliveries } from "../../../platform/webhooks/erase-deliveries.ts";
import { ERASED, erasedError } from "../../runs/maintain/erase-run.ts";
import type { WorkflowRunKey } from "../workflow-run-changes.ts";

/**
 * Erases the data of an ended workflow run: its input, the outputs of its steps, and its decisions. False: it has not
 * ended. The runs of its steps and its descendant workflow runs are erased one by one.
 */
export async function eraseWorkflowRun(
  tx: Ctx & InTransaction,
  { project_id, workflow_run_id }: WorkflowRunKey,
): Promise<boolean> {
  const { rows } = await sql<{ trigger_id: string | null }>`
    with erased as (
      update workflow_runs set payload = '{}', metadata = '{}', routing_key = null, updated_at = clock(),
        error = ${erasedError("error")}
      where project_id = ${project_id} and id = ${workflow_run_id} and finished_at is not null
      returning id, workflow_id, environment_id, idempotency_key
    ),
    steps as (
      update step_runs s set output = null, input = null, message = null, updated_at = clock(),
        error = ${erasedError("s.error")},
        compensation_error = ${erasedError("s.compensation_error")}
      from erased e where s.project_id = ${project_id} and s.workflow_run_id = e.id
    ),
    maps as (
      update map_steps m set scope = '{}' from erased e where m.project_id = ${project_id} and m.workflow_run_id = e.id
    ),
    items as (
      update map_items i set item = 'null', output = null, updated_at = clock(), error = ${erasedError("i.error")}
      from erased e where i.project_id = ${project_id} and i.workflow_run_id = e.id
    ),
    decided as (
      update workflow_decisions d set detail = null, reason = ${ERASED}
      from erased e where d.project_id = ${project_id} and d.workflow_run_id = e.id
    ),
    keys as (
      update idempotency_keys k set body_hash = ''
      from erased e where k.project_id = ${project_id} and k.target_id = e.workflow_id
        and k.environment_id = e.environment_id and k.key = e.idempotency_key and k.run_id = e.id
    ),
    waited as (
      update event_triggers t set payload = null, updated_at = clock(), error = ${erasedError("t.error")}
      from erased e where t.project_id = ${project_id} and t.workflow_run_id = e.id and t.workflow_run_id is not null
      returning t.id
    )
    select w.id as trigger_id from erased left join waited w on true`.execute(tx.db);
  if (rows.length === 0) return false;
  const source_ids = [workflow_run_id, ...rows.flatMap(({ trigger_id }) => trigger_id ?? [])];
  await eraseDeliveries(tx, project_id, source_ids);
  return true;
}

/** The workflow run and all its descendants, and whether each has ended. */
export async function listWorkflowTree(ctx: Ctx, { project_id, workflow_run_id }: WorkflowRunKey) {
  const { rows } = await sql<{ id: string; has_ended: boolean }>`
    with recursive tree as (
      select w.project_id, w.id, w.finished_at from workflow_runs w
      where w.project_id = ${project_id} and w.id = ${workflow_run_id}
      union all
      select w.project_id, w.id, w.finished_at from tree, lateral (
        select * from workflow_runs w where w.parent_workflow_run_id = tree.id and w.project_id = ${project_id} offset 0
      ) w
    )
    select id, finished_at is not null as has_ended from tree`.execute(ctx.db);
  return rows;
}

/** A page of the runs that its steps have started, by id. */
export async function listRunsOf(
  ctx: Ctx,
  { project_id, workflow_run_id }: WorkflowRunKey,
  after: string,
  max: number,
) {
  const { rows } = await sql<{ id: string; has_ended: boolean }>`
    select id, finished_at is not null as has_ended from runs
    where project_id = ${project_id} and workflow_run_id = ${workflow_run_id} and id > ${after}
    order by id limit ${max}`.execute(ctx.db);
  return rows;
}
