import type { WorkflowAnalyticsQuery, WorkflowCompletionRates } from "@millrace/contract/analytics-beyond-runs";
import type { ProjectCtx } from "../../../platform/context.ts";
import { readRollups } from "../rollups/read-rollups.ts";
import { measureQuery } from "./measure-query.ts";
import { timeOf } from "./measures.ts";
import { openReader } from "./open-reader.ts";
import { readAsOf } from "./read-names.ts";
import { ratesOf, readWorkflowNames, workflowMeasures, workflowsNamed } from "./workflow-measures.ts";

/** How many runs of each workflow ended, and how many of those succeeded. */
export async function getCompletionRates(
  ctx: ProjectCtx,
  query: WorkflowAnalyticsQuery,
): Promise<Omit<WorkflowCompletionRates, "$schema">> {
  const reader = await openReader(ctx, "workflows", query);
  return measureQuery(ctx, reader.range, async () => {
    const subject_ids = await workflowsNamed(ctx, query);
    const of = subject_ids ? { subject_ids } : {};
    const [sums, byVersion, as_of] = await Promise.all([
      readRollups(reader, { ...of, split: "workflow", by: ["subject"] }),
      readRollups(reader, { ...of, split: "workflow_version", by: ["subject", "part"] }),
      readAsOf(ctx, "workflows"),
    ]);
    const shown = sums
      .toSorted((a, b) => b.counts.started - a.counts.started || (a.subject_id < b.subject_id ? -1 : 1))
      .slice(0, query.limit ?? 20);
    const names = await readWorkflowNames(
      ctx,
      shown.map(({ subject_id }) => subject_id),
      byVersion.map(({ part }) => part),
    );
    const data = shown.map(({ subject_id: workflow_id, ...each }) => {
      const name = names.get(workflow_id);
      const versions = byVersion
        .filter(({ subject_id }) => subject_id === workflow_id)
        .toSorted((a, b) => (a.part < b.part ? 1 : -1))
        .map(({ part: version_id, counts }) => {
          const { duration_ms: _, ...shownCounts } = counts;
          return { version_id, version: name?.versions[version_id] ?? null, ...shownCounts, ...ratesOf(counts) };
        });
      return { workflow_id, workflow_slug: name?.slug ?? null, ...workflowMeasures(each), versions };
    });
    return { ...timeOf(ctx, reader.range, as_of), data };
  });
}
