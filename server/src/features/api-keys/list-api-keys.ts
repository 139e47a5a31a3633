import type { ListApiKeysQuery } from "@millrace/contract/api-keys";
import type { ProjectCtx } from "../../platform/context.ts";
import { presentPage, readPage } from "../../platform/listing/page.ts";
import { listApiKeys as listRows } from "./queries.ts";

export async function listApiKeys(ctx: ProjectCtx, query: ListApiKeysQuery) {
  const page = readPage(ctx, "api-keys", query, "k");
  return presentPage(ctx, page, await listRows(ctx, page, query.status));
}
