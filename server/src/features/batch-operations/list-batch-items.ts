import type { ListBatchItemsQuery } from "@millrace/contract/batch-operations";
import type { ProjectCtx } from "../../platform/context.ts";
import { presentPage, readPageByNumber } from "../../platform/listing/page.ts";
import { getBatchOperation } from "./get-batch-operation.ts";
import { listItems } from "./queries.ts";

/** Ascending by default. */
export async function listBatchItems(ctx: ProjectCtx, id: string, query: ListBatchItemsQuery) {
  const batch = await getBatchOperation(ctx, id);
  const requested = { order: "asc" as const, ...query };
  const page = readPageByNumber(ctx, `batch-operations/${batch.id}/items`, requested, "i.item_index");
  return presentPage(ctx, page, await listItems(ctx, batch.id, page, query.status));
}
