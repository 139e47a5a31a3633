import { appendStates } from "../changelog/append-changes.ts";
import { changesAppended } from "../changelog/wake-readers.ts";
import type { Ctx, InTransaction } from "../context.ts";
import { sql } from "../database/sql.ts";
import type { BatchKey } from "./advance-batch.ts";
import type { HeldBatch } from "./claim-batch.ts";

/** An issue that persists for this many passes does not go away by itself. */
const MAX_FAILURES = 5;

/** Completed items stay completed; no further item starts. False: the batch had already ended. */
export async function cancelBatch(tx: Ctx & InTransaction, { project_id, batch_id }: BatchKey): Promise<boolean> {
  const { rows } = await sql`
    with canceled as (
      update batch_operations set prev_status = status, status = 'canceled', lease_until = null, lease_token = null,
        finished_at = clock(), updated_at = clock()
      where project_id = ${project_id} and id = ${batch_id} and status in ('pending', 'running')
      returning project_id, id
    ),
    ${appendStates("batch_operation", sql`canceled`)}
    select 1 from canceled`.execute(tx.db);
  changesAppended(tx, "batch_operation");
  return rows.length > 0;
}

/** Records a failed pass. The batch is retried, and given up after repeated failures. */
export async function recordBatchFailure(
  ctx: Ctx,
  batch: HeldBatch,
  reason: string,
  max = MAX_FAILURES,
): Promise<void> {
  await sql`
    with failed as (
      update batch_operations set failures = failures + 1, lease_until = null, lease_token = null, prev_status = status,
        status = case when failures + 1 >= ${max} then 'failed' else status end,
        error = case when failures + 1 >= ${max} then ${reason} end,
        finished_at = case when failures + 1 >= ${max} then clock() end,
        updated_at = clock()
      where project_id = ${batch.project_id} and id = ${batch.id} and status = 'running'
        and lease_token = ${batch.lease_token}
      returning project_id, id
    ),
    ${appendStates("batch_operation", sql`failed`)}
    select 1`.execute(ctx.db);
  changesAppended(ctx, "batch_operation");
}
