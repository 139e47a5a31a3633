import type { ListBatchOperationsQuery } from "@millrace/contract/batch-operations";
import type { ProjectCtx } from "../../platform/context.ts";
import { presentPage, readPage } from "../../platform/listing/page.ts";
import { listBatches } from "./queries.ts";

export async function listBatchOperations(ctx: ProjectCtx, query: ListBatchOperationsQuery) {
  const page = readPage(ctx, "batch-operations", query, "b");
  return presentPage(ctx, page, await listBatches(ctx, page, query));
}
