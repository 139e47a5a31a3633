import type { ListRunsQuery } from "@millrace/contract/runs";
import type { ProjectCtx } from "../../platform/context.ts";
import { presentWalk, readWalk } from "../../platform/listing/walk.ts";
import { resolveConditions } from "./search/resolve-conditions.ts";
import { readConditions } from "./search/run-conditions.ts";
import { searchRuns } from "./search/search-runs.ts";

export async function listRuns(ctx: ProjectCtx, query: ListRunsQuery) {
  const walk = readWalk(ctx, "runs", query, "r");
  const conditions = await resolveConditions(ctx, readConditions(query));
  const { rows, stopped_at } = await searchRuns(ctx, conditions, walk, walk.limit + 1);
  return presentWalk(ctx, walk, rows, stopped_at);
}
