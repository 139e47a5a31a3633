import type { ListWorkflowsQuery } from "@millrace/contract/workflows";
import type { ProjectCtx } from "../../platform/context.ts";
import { presentPage, readPage } from "../../platform/listing/page.ts";
import { listWorkflows as listRows } from "./queries.ts";

export async function listWorkflows(ctx: ProjectCtx, query: ListWorkflowsQuery) {
  const page = readPage(ctx, "workflows", query, "w");
  return presentPage(ctx, page, await listRows(ctx, page, query));
}
