import type { ListRunsQuery } from "@millrace/contract/runs";
import type { ProjectCtx } from "../../platform/context.ts";
import { presentPage, readPageById } from "../../platform/listing/page.ts";
import { readSpan } from "../../platform/listing/read-span.ts";
import { listRuns as listRows } from "./queries.ts";

export async function listRuns(ctx: ProjectCtx, query: ListRunsQuery) {
  const page = readPageById(ctx, "runs", query, "r");
  const rows = await listRows(ctx, page, readSpan(query));
  return presentPage(ctx, page, rows);
}
