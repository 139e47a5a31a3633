import { sql } from "kysely";
import type { Ctx, InTransaction } from "../platform/context.ts";
import type { RunKey } from "./lock-runs.ts";

const ERASED = "[deleted]";
const PAGE = 1_000;

/** Empties an ended run of what it was given, what it waited for and what it gave back. False: it has not ended. */
export async function eraseRun(tx: Ctx & InTransaction, { project_id, run_id }: RunKey): Promise<boolean> {
  const { rows } = await sql`
    with erased as (
      update runs set payload = '{}', parent_outputs = null, result = null, state = null, checkpoint = null, progress = null,
        dedup_hash = null, updated_at = clock(),
        error = case when error is not null then jsonb_set(error, '{message}', to_jsonb(${ERASED}::text)) end
      where project_id = ${project_id} and id = ${run_id} and finished_at is not null
      returning project_id, id
    ),
    waited as (
      update event_triggers t set payload = null, updated_at = clock()
      from erased e where t.project_id = ${project_id} and t.job_run_id = e.id and t.job_run_id is not null
    ),
    told as (
      update run_transitions t set detail = jsonb_set(t.detail, '{error,message}', to_jsonb(${ERASED}::text))
      from erased e where t.project_id = ${project_id} and t.run_id = e.id and t.detail -> 'error' ? 'message'
    )
    select 1 from erased`.execute(tx.db);
  return rows.length > 0;
}

/** Deletes what an ended run told of itself, in pages: nothing is added to it any more. */
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
