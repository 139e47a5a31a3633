import type { ListRunsQuery } from "@millrace/contract/runs";
import type { ProjectCtx } from "../../platform/context.ts";
import { parseInstant } from "../../platform/instant.ts";
import { presentPage, readPageById } from "../../platform/listing/page.ts";
import { listRuns as listRows } from "./queries.ts";

export async function listRuns(ctx: ProjectCtx, query: ListRunsQuery) {
  const page = readPageById(ctx, "runs", query, "r");
  const { limit: _limit, cursor: _cursor, order: _order, from, to, ...filter } = query;
  const rows = await listRows(ctx, page, {
    ...filter,
    ...(from !== undefined && { from: parseInstant("query.from", from) }),
    ...(to !== undefined && { to: parseInstant("query.to", to) }),
  });
  return presentPage(ctx, page, rows);
}
