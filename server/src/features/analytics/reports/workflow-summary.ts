import type {
  WorkflowAnalyticsQuery,
  WorkflowCompletionRates,
  WorkflowSummary,
  WorkflowSummaryQuery,
} from "@millrace/contract/analytics/analytics-beyond-runs";
import type { ProjectCtx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { isId } from "../../../platform/ids.ts";
import { readRollups } from "../rollups/read-rollups.ts";
import { named, type Sums } from "../rollups/rollup-rows.ts";
import { type Durations, NO_DURATIONS } from "./distribution.ts";
import { measureQuery } from "./measure-query.ts";
import { durationsOf, endsOf, ratio, successRate, timeOf } from "./measures.ts";
import { openReader, type Reader } from "./open-reader.ts";
import { nameVersions, readGroups } from "./read-groups.ts";
import { readAsOf } from "./read-names.ts";
import { type Counts, fillTimes } from "./series.ts";

const NOTHING = { counts: named("workflows", []), durations: NO_DURATIONS };

/** All workflows together, and over time. */
export async function getWorkflowSummary(
  ctx: ProjectCtx,
  query: WorkflowSummaryQuery,
): Promise<Omit<WorkflowSummary, "$schema">> {
  const reader = await openReader(ctx, "workflows", query);
  return measureQuery(ctx, reader.range, async () => {
    const subject_ids = await workflowsNamed(ctx, query);
    const split = reader.isRestricted || subject_ids ? "workflow" : "all";
    const of = subject_ids ? { subject_ids } : {};
    const [[total], times, each, grouped, as_of] = await Promise.all([
      readRollups(reader, { ...of, split }),
      readRollups(reader, { ...of, split, by: ["time"] }),
      readRollups(reader, { ...of, split: "workflow", by: ["subject"] }),
      query.group_by ? groupByVersion(reader, query.limit, of) : null,
      readAsOf(ctx, "workflows"),
    ]);
    return {
      ...timeOf(ctx, reader.range, as_of),
      workflows: each.length,
      total: workflowMeasures(total ?? NOTHING),
      buckets: fillTimes(reader.range, times.map(presentBucket), shownOf(NOTHING)),
      grouped,
    };
  });
}

async function groupByVersion(
  reader: Reader<"workflows">,
  limit: number | undefined,
  of: { subject_ids?: readonly string[] },
) {
  const { groups, has_more } = await readGroups(reader, {
    ...{ split: "workflow_version", limit, rankBy: "started", present: presentBucket, empty: shownOf(NOTHING), ...of },
  });
  return { groups: await nameVersions(groups, (...ids) => readWorkflowNames(reader.ctx, ...ids)), has_more };
}

function presentBucket(sums: Sums<"workflows">) {
  return { starts_at: sums.starts_at ?? "", ...shownOf(sums) };
}

function shownOf(sums: Pick<Sums<"workflows">, "counts" | "durations">) {
  const { completion_rate: _rate, mean_ms: _mean, ...shown } = workflowMeasures(sums);
  return shown;
}

/** An end that a retry reset does not count as an end. */
function ratesOf(counts: Counts<"workflows">) {
  const ended = Math.max(0, endsOf(counts) - counts.retried);
  return { completion_rate: ratio(ended, counts.started), success_rate: successRate(counts) };
}

function workflowMeasures({ counts, durations }: { counts: Counts<"workflows">; durations: Durations }) {
  const { duration_ms, ...shown } = counts;
  return { ...shown, ...ratesOf(counts), ...durationsOf(durations, duration_ms) };
}

type Named = { workflow_id?: string; job_id?: string };

/** The requested workflows: by name, or those with a step of a job in their current version. Undefined: all. */
async function workflowsNamed(ctx: ProjectCtx, { workflow_id, job_id }: Named): Promise<string[] | undefined> {
  if (workflow_id === undefined && job_id === undefined) return undefined;
  if (workflow_id !== undefined && isId(workflow_id) && job_id === undefined) return [workflow_id];
  const byName = workflow_id === undefined ? sql`true` : sql`(w.id::text = ${workflow_id} or w.slug = ${workflow_id})`;
  const byJob =
    job_id === undefined
      ? sql`true`
      : sql`exists (
          select 1 from workflow_versions v, jobs j
          where v.project_id = w.project_id and v.id = w.version_id
            and j.project_id = w.project_id and (j.id::text = ${job_id} or j.slug = ${job_id})
            and (v.steps @> jsonb_build_array(jsonb_build_object('job_id', j.id))
              or v.steps @> jsonb_build_array(jsonb_build_object('job_id', j.slug))))`;
  const { rows } = await sql<{ id: string }>`
    select w.id from workflows w
    where w.project_id = ${ctx.project_id} and w.deleted_at is null and ${byName} and ${byJob}`.execute(ctx.db);
  return rows.map(({ id }) => id);
}

type WorkflowName = { slug: string; versions: Record<string, number> };

async function readWorkflowNames(
  ctx: ProjectCtx,
  ids: readonly string[],
  version_ids: readonly string[],
): Promise<Map<string, WorkflowName>> {
  const { rows } = await sql<WorkflowName & { id: string }>`
    select w.id, w.slug, coalesce((
      select json_object_agg(v.id, v.version) from workflow_versions v
      where v.project_id = w.project_id and v.workflow_id = w.id and v.id = any(${version_ids}::uuid[])), '{}') as versions
    from workflows w where w.project_id = ${ctx.project_id} and w.id = any(${ids}::uuid[])`.execute(ctx.db);
  return new Map(rows.map((row) => [row.id, row]));
}

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
