import type { WorkflowAnalyticsQuery, WorkflowSummary } from "@millrace/contract/analytics-beyond-runs";
import type { ProjectCtx } from "../../../platform/context.ts";
import { readRollups } from "../rollups/read-rollups.ts";
import { named, type Sums } from "../rollups/rollup-rows.ts";
import { NO_DURATIONS } from "./distribution.ts";
import { fillTimes } from "./fill-times.ts";
import { measureQuery } from "./measure-query.ts";
import { timeOf } from "./measures.ts";
import { openReader } from "./open-reader.ts";
import { readAsOf } from "./read-names.ts";
import { workflowMeasures, workflowsNamed } from "./workflow-measures.ts";

const NOTHING = { counts: named("workflows", []), durations: NO_DURATIONS };

/** All workflows together, and over time. */
export async function getWorkflowSummary(
  ctx: ProjectCtx,
  query: WorkflowAnalyticsQuery,
): Promise<Omit<WorkflowSummary, "$schema">> {
  const reader = await openReader(ctx, "workflows", query);
  return measureQuery(ctx, reader.range, async () => {
    const subject_ids = await workflowsNamed(ctx, query);
    const split = reader.isRestricted || subject_ids ? "workflow" : "all";
    const of = subject_ids ? { subject_ids } : {};
    const [[total], times, each, as_of] = await Promise.all([
      readRollups(reader, { ...of, split }),
      readRollups(reader, { ...of, split, by: ["time"] }),
      readRollups(reader, { ...of, split: "workflow", by: ["subject"] }),
      readAsOf(ctx, "workflows"),
    ]);
    return {
      ...timeOf(ctx, reader.range, as_of),
      workflows: each.length,
      total: workflowMeasures(total ?? NOTHING),
      buckets: fillTimes(reader.range, times.map(presentBucket), shownOf(NOTHING)),
    };
  });
}

function presentBucket(sums: Sums<"workflows">) {
  return { starts_at: sums.starts_at ?? "", ...shownOf(sums) };
}

function shownOf(sums: Pick<Sums<"workflows">, "counts" | "durations">) {
  const { completion_rate: _rate, mean_ms: _mean, ...shown } = workflowMeasures(sums);
  return shown;
}
