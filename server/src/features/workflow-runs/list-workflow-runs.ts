import type { ListWorkflowRunsQuery } from "@millrace/contract/workflow-runs";
import type { ProjectCtx } from "../../platform/context.ts";
import { parseInstant } from "../../platform/instant.ts";
import { presentPage, readPageById } from "../../platform/listing/page.ts";
import { listWorkflowRuns as listRows } from "./queries.ts";

export async function listWorkflowRuns(ctx: ProjectCtx, query: ListWorkflowRunsQuery) {
  const page = readPageById(ctx, "workflow-runs", query, "w");
  const { limit: _limit, cursor: _cursor, order: _order, from, to, ...filter } = query;
  const rows = await listRows(ctx, page, {
    ...filter,
    ...(from !== undefined && { from: parseInstant("query.from", from) }),
    ...(to !== undefined && { to: parseInstant("query.to", to) }),
  });
  return presentPage(ctx, page, rows);
}
