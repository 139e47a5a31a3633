import type { ListMembersQuery } from "@millrace/contract/members";
import type { ProjectCtx } from "../../platform/context.ts";
import { presentPage, readPage } from "../../platform/listing/page.ts";
import { listMembers as listRows } from "./queries.ts";

export async function listMembers(ctx: ProjectCtx, query: ListMembersQuery) {
  const page = readPage(ctx, "members", query, "m");
  return presentPage(ctx, page, await listRows(ctx, page, query));
}
