import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { type Sql, sql } from "../../../platform/database/sql.ts";
import { eraseDeliveries } from "../../../platform/webhooks/erase-deliveries.ts";
import type { RunKey } from "../lock-runs.ts";

export const ERASED = "[deleted]";
const PAGE = 1_000;

/**
 * Erases the data of an ended run: its input, waits and output, and the copies others received. False: it has not
 * ended. An idempotency key used for it stays used: with nothing left to compare, a repeated request is refused and not
 * executed.
 */
export async function eraseRun(tx: Ctx & InTransaction, { project_id, run_id }: RunKey): Promise<boolean> {
  const { rows } = await sql<{ trigger_id: string | null }>`
    with erased as (
      update runs set payload = '{}', metadata = '{}', parent_outputs = null, result = null, state = null, checkpoint = null, progress = null,
        dedup_hash = null, updated_at = clock(),
        error = ${erasedError("error")}
      where project_id = ${project_id} and id = ${run_id} and finished_at is not null
      returning id, job_id, environment_id, idempotency_key
    ),
    waited as (
      update event_triggers t set payload = null, updated_at = clock(), error = ${erasedError("t.error")}
      from erased e where t.project_id = ${project_id} and t.job_run_id = e.id and t.job_run_id is not null
      returning t.id
    ),
    keys as (
      update idempotency_keys k set body_hash = ''
      from erased e where k.project_id = ${project_id} and k.target_id = e.job_id
        and k.environment_id = e.environment_id and k.key = e.idempotency_key and k.run_id = e.id
    ),
    used as (
      update run_usage u set metadata = null
      from erased e where u.project_id = ${project_id} and u.run_id = e.id and u.metadata is not null
    ),
    transitions as (
      update run_transitions t set detail = jsonb_set(t.detail, '{error,message}', to_jsonb(${ERASED}::text))
      from erased e where t.project_id = ${project_id} and t.run_id = e.id and t.detail -> 'error' ? 'message'
    )
    select w.id as trigger_id from erased left join waited w on true`.execute(tx.db);
  if (rows.length === 0) return false;
  const source_ids = [run_id, ...rows.flatMap(({ trigger_id }) => trigger_id ?? [])];
  await eraseDeliveries(tx, project_id, source_ids);
  return true;
}

/** The error code stays, because programs depend on it. */
export function erasedError(column: string): Sql {
  const error = sql.ref(column);
  return sql`case when ${error} is not null then jsonb_set(${error}, '{message}', to_jsonb(${ERASED}::text)) end`;
}

/** Deletes what an ended run reported, in pages: an ended run reports nothing more. */
export async function eraseRecords(ctx: Ctx, { project_id, run_id }: RunKey): Promise<void> {
  for (let erased = PAGE; erased > 0; ) {
    const { rows } = await sql<{ erased: number }>`
      with logs as (
        delete from run_logs where project_id = ${project_id} and run_id = ${run_id} and id = any(array(
          select id from run_logs where project_id = ${project_id} and run_id = ${run_id} limit ${PAGE}))
        returning 1
      ),
      checkpoints as (
        delete from run_checkpoints where project_id = ${project_id} and run_id = ${run_id} and id = any(array(
          select id from run_checkpoints where project_id = ${project_id} and run_id = ${run_id} limit ${PAGE}))
        returning 1
      ),
      outputs as (
        delete from run_outputs where project_id = ${project_id} and run_id = ${run_id} and id = any(array(
          select id from run_outputs where project_id = ${project_id} and run_id = ${run_id} limit ${PAGE}))
        returning 1
      ),
      tool_calls as (
        delete from run_tool_calls where project_id = ${project_id} and run_id = ${run_id} and id = any(array(
          select id from run_tool_calls where project_id = ${project_id} and run_id = ${run_id} limit ${PAGE}))
        returning 1
      )
      select ((select count(*) from logs) + (select count(*) from checkpoints) + (select count(*) from outputs)
        + (select count(*) from tool_calls))::int as erased`.execute(ctx.db);
    erased = rows[0]?.erased ?? 0;
  }
}

/**
 * Returns the runs or workflow runs whose data were erased. An erased run looks as if it had been started with no
 * input: only the audit event of the erasure distinguishes them. It is kept for AUDIT_RETENTION, by default four times
 * as long as a run.
 */
export async function findErased(
  ctx: Ctx,
  project_id: string,
  kind: "run" | "workflow_run",
  ids: readonly string[],
): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const { rows } = await sql<{ id: string }>`
    select e.id from unnest(${[...ids]}::text[]) as g(id), lateral (
      select e.resource_id as id from audit_events e
      where e.project_id = ${project_id} and e.resource_type = ${kind} and e.resource_id = g.id
        and e.action = ${`${kind}.data_deleted`} limit 1
    ) e`.execute(ctx.db);
  return new Set(rows.map(({ id }) => id));
}
