import type { BatchOperation } from "@millrace/contract/runs/batch-operations";
import { visible } from "../access/policies/visibility.ts";
import type { Ctx, ProjectCtx } from "../context.ts";
import { sql } from "../database/sql.ts";
import { isId } from "../ids.ts";
import type { BatchKey } from "./advance-batch.ts";

export type BatchRow = Omit<BatchOperation, "$schema">;

/** A batch operation as returned by the API, from `batch_operations b`. */
export const BATCH_COLUMNS = sql`b.id, b.project_id, b.kind, b.status, b.request, b.total, b.processed, b.succeeded,
  b.failed, b.skipped, case when b.status = 'completed' then 100 when b.total = 0 then 0
    else least(99, b.processed::bigint * 100 / b.total) end::int as percent,
  b.error, b.created_by, b.created_by_id, b.created_at, b.updated_at, b.finished_at`;

export async function readBatch(ctx: ProjectCtx, id: string): Promise<BatchRow | undefined> {
  if (!isId(id)) return undefined;
  const { rows } = await sql<BatchRow>`
    select ${BATCH_COLUMNS} from batch_operations b
    where b.project_id = ${ctx.project_id} and b.id = ${id} and ${visible(ctx, "batch_operations", "b")}
  `.execute(ctx.db);
  return rows[0];
}

/** The recorded items. For batches with an explicit list of items: at most a hundred. */
export async function readRecorded(ctx: Ctx, { project_id, batch_id }: BatchKey): Promise<Set<number>> {
  const { rows } = await sql<{ item_index: number }>`
    select item_index from batch_items
    where project_id = ${project_id} and batch_id = ${batch_id}`.execute(ctx.db);
  return new Set(rows.map((row) => row.item_index));
}
