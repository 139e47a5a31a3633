import type { BatchItem } from "@millrace/contract/batch-operations";
import { sql } from "kysely";
import { visible } from "../../platform/access/visibility.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { BATCH_COLUMNS, type BatchRow } from "../../platform/ledger/read-batch.ts";
import type { Page } from "../../platform/listing/page.ts";

type BatchFilter = { status?: string; kind?: string };

export async function listBatches(ctx: ProjectCtx, page: Page, { status, kind }: BatchFilter): Promise<BatchRow[]> {
  const { rows } = await sql<BatchRow>`
    select ${BATCH_COLUMNS} from batch_operations b
    where b.project_id = ${ctx.project_id} and ${visible(ctx, "batch_operations", "b")}
      ${status === undefined ? sql`` : sql`and b.status = any(${status.split(",")}::text[])`}
      ${kind === undefined ? sql`` : sql`and b.kind = ${kind}`}
      ${page.after} ${page.orderBy} limit ${page.limit + 1}`.execute(ctx.db);
  return rows;
}

/** The id is the number of the item, as text: a page ends with it. */
export type ItemRow = Omit<BatchItem, "$schema"> & { id: string };

export async function listItems(
  ctx: ProjectCtx,
  batch_id: string,
  page: Page,
  status: string | undefined,
): Promise<ItemRow[]> {
  const { rows } = await sql<ItemRow>`
    select i.batch_id, i.item_index as index, i.target_id, i.status, i.detail, i.created_at,
      case when i.error is not null
        then jsonb_build_object('code', coalesce(i.error_code, 'failed'), 'message', i.error) end as error,
      i.item_index::text as id
    from batch_items i
    where i.project_id = ${ctx.project_id} and i.batch_id = ${batch_id}
      ${status === undefined ? sql`` : sql`and i.status = any(${status.split(",")}::text[])`}
      ${page.after} ${page.orderBy} limit ${page.limit + 1}`.execute(ctx.db);
  return rows;
}
