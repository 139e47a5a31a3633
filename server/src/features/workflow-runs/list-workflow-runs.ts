import type { ListWorkflowRunsQuery } from "@millrace/contract/workflow-runs";
import { leaveOutOfRuns } from "../../flow/workflows/operate/leave-out-denied.ts";
import type { WorkflowRunRow } from "../../flow/workflows/workflow-run-columns.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { readContained } from "../../platform/listing/read-contained.ts";
import { readSpan } from "../../platform/listing/read-span.ts";
import { presentWalk, readWalk } from "../../platform/listing/walk.ts";
import { findNth, type Part, readPart } from "./list-queries.ts";

/** How many are scanned for one page: first the nearest, then many; then the page ends with a cursor. */
const STEPS = [1_000, 20_000];

export async function listWorkflowRuns(ctx: ProjectCtx, query: ListWorkflowRunsQuery) {
  const walk = readWalk(ctx, "workflow-runs", query, "w");
  const filter = readSpan(query);
  if (filter.payload_contains !== undefined) {
    filter.payload_contains = JSON.stringify(readContained("query.payload_contains", filter.payload_contains));
  }
  let part: Part = { order: walk.order, after_id: walk.after_id, filter };
  const rows: WorkflowRunRow[] = [];
  let stopped_at: string | null = null;
  for (const count of STEPS) {
    stopped_at = await findNth(ctx, part, count);
    rows.push(...(await readPart(ctx, part, stopped_at, walk.limit + 1 - rows.length)));
    if (stopped_at === null || rows.length > walk.limit) break;
    part = { ...part, after_id: stopped_at };
  }
  return presentWalk(ctx, walk, await leaveOutOfRuns(ctx, rows), stopped_at);
}
