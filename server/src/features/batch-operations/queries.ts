import type { BatchItem } from "@millrace/contract/batch-operations";
import { type RawBuilder, sql } from "kysely";
import { withAccess } from "../../platform/access/policies/policies.ts";
import { visible } from "../../platform/access/policies/visibility.ts";
import { BATCH_COLUMNS, type BatchRow } from "../../platform/batches/read-batch.ts";
import type { ProjectCtx } from "../../platform/context.ts";
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

/** The id is the item number as text: page cursors use it. */
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
    where i.project_id = ${ctx.project_id} and i.batch_id = ${batch_id} and ${await targetVisible(ctx)}
      ${status === undefined ? sql`` : sql`and i.status = any(${status.split(",")}::text[])`}
      ${page.after} ${page.orderBy} limit ${page.limit + 1}`.execute(ctx.db);
  return rows;
}

/** Hides items whose target the caller may not read. For a removed target, only its id is left to show. */
async function targetVisible(ctx: ProjectCtx): Promise<RawBuilder<unknown>> {
  const [workflows, webhooks] = [await withAccess(ctx, "workflows:read"), await withAccess(ctx, "webhooks:read")];
  const id = sql`case when i.target_id ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then i.target_id::uuid end`;
  return sql`not exists (select 1 from runs r where r.project_id = i.project_id and r.id = ${id}
      and not ${visible(ctx, "runs", "r")})
    and not exists (select 1 from workflow_runs w where w.project_id = i.project_id and w.id = ${id}
      and not ${visible(workflows, "workflow_runs", "w")})
    and not exists (select 1 from webhook_deliveries d where d.project_id = i.project_id and d.id = ${id}
      and not ${visible(webhooks, "webhook_deliveries", "d")})`;
}
