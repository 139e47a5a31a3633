import type { ListWorkflowRunsQuery } from "@millrace/contract/workflow-runs";
import type { ProjectCtx } from "../../platform/context.ts";
import { presentPage, readPageById } from "../../platform/listing/page.ts";
import { readSpan } from "../../platform/listing/read-span.ts";
import { listWorkflowRuns as listRows } from "./queries.ts";

export async function listWorkflowRuns(ctx: ProjectCtx, query: ListWorkflowRunsQuery) {
  const page = readPageById(ctx, "workflow-runs", query, "w");
  const rows = await listRows(ctx, page, readSpan(query));
  return presentPage(ctx, page, rows);
}
