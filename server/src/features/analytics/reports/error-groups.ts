import type { TopAnalyticsQuery } from "@millrace/contract/analytics/analytics";
import type { ErrorGroups } from "@millrace/contract/analytics/job-analytics";
import { visible } from "../../../platform/access/policies/visibility.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { groupBy } from "../../../platform/group-by.ts";
import { readRollups } from "../rollups/read-rollups.ts";
import type { Sums } from "../rollups/rollup-rows.ts";
import { measureQuery } from "./measure-query.ts";
import { timeOf } from "./measures.ts";
import { openReader } from "./open-reader.ts";
import { type JobName, jobNamed, readAsOf, readJobNames } from "./read-names.ts";

type Group = {
  fingerprint: string;
  environment_id: string;
  job_id: string;
  runs: number;
  attempts: number;
  versions: { job_version_id: string; attempts: number }[];
};
type Known = Pick<ErrorGroups["data"][number], "code" | "http_status" | "message" | "step_ref"> & {
  first_seen_at: string;
  last_seen_at: string;
  sample_run_ids: string[];
};

/** Failures grouped by cause, the most frequent first. */
export async function getErrorGroups(ctx: ProjectCtx, query: TopAnalyticsQuery): Promise<Omit<ErrorGroups, "$schema">> {
  const reader = await openReader(ctx, "errors", query);
  return measureQuery(ctx, reader.range, async () => {
    const subject_ids = await jobNamed(ctx, query.job_id);
    const of = { split: "group", by: ["subject", "environment", "part"], ...(subject_ids && { subject_ids }) } as const;
    const [sums, as_of] = await Promise.all([readRollups(reader, of), readAsOf(ctx, "errors")]);
    const groups = groupsOf(sums);
    const shown = groups.slice(0, query.limit ?? 20);
    const [known, names] = await Promise.all([
      readGroups(reader.ctx, shown),
      readJobNames(
        ctx,
        shown.map(({ job_id }) => job_id),
        shown.flatMap(({ versions }) => versions.map(({ job_version_id }) => job_version_id)),
      ),
    ]);
    const total = {
      runs: groups.reduce((sum, { runs }) => sum + runs, 0),
      attempts: groups.reduce((sum, { attempts }) => sum + attempts, 0),
    };
    const data = shown.map((group) => present(group, known.get(keyOf(group)), names.get(group.job_id)));
    return { ...timeOf(ctx, reader.range, as_of), total, data };
  });
}

/** The `part` of a row is its fingerprint and the version of the job. */
function groupsOf(sums: readonly Sums<"errors">[]): Group[] {
  const groups = groupBy(sums, ({ environment_id, part }) => `${environment_id} ${part.slice(0, 36)}`);
  return [...groups.values()]
    .map((rows) => ({
      fingerprint: rows[0]?.part.slice(0, 36) ?? "",
      environment_id: rows[0]?.environment_id ?? "",
      job_id: rows[0]?.subject_id ?? "",
      runs: rows.reduce((sum, { counts }) => sum + counts.runs, 0),
      attempts: rows.reduce((sum, { counts }) => sum + counts.attempts, 0),
      versions: rows
        .map(({ part, counts }) => ({ job_version_id: part.slice(37), attempts: counts.attempts }))
        .sort((a, b) => (a.job_version_id < b.job_version_id ? 1 : -1)),
    }))
    .sort((a, b) => b.runs - a.runs || b.attempts - a.attempts || (a.fingerprint < b.fingerprint ? -1 : 1));
}

function keyOf({ environment_id, fingerprint }: { environment_id: string; fingerprint: string }): string {
  return `${environment_id} ${fingerprint}`;
}

function present(group: Group, known: Known | undefined, name: JobName | undefined): ErrorGroups["data"][number] {
  const { code = null, http_status = null, message = "(forgotten)", step_ref = null } = known ?? {};
  return {
    ...group,
    ...{ code, http_status, message, step_ref },
    job_slug: name?.slug ?? null,
    first_seen_at: known?.first_seen_at ?? null,
    last_seen_at: known?.last_seen_at ?? null,
    versions: group.versions.map((each) => ({ ...each, version: name?.versions[each.job_version_id] ?? null })),
    sample_run_ids: known?.sample_run_ids ?? [],
  };
}

async function readGroups(ctx: ProjectCtx, groups: readonly Group[]): Promise<Map<string, Known>> {
  const keys = groups.map(({ job_id, environment_id, fingerprint }) => ({ job_id, environment_id, fingerprint }));
  const { rows } = await sql<Known & { environment_id: string; fingerprint: string }>`
    select g.* from json_to_recordset(${JSON.stringify(keys)}::json) as k(job_id uuid, environment_id uuid, fingerprint uuid)
    cross join lateral (
      select g.environment_id, g.fingerprint, g.step_ref, g.http_status, g.code, g.message, g.first_seen_at, g.last_seen_at,
        array(
          select r.id::text from unnest(g.run_ids) with ordinality as s(id, nth)
          join runs r on r.project_id = ${ctx.project_id} and r.id = s.id and ${visible(ctx, "runs", "r")}
          order by s.nth) as sample_run_ids
      from error_groups g
      where g.project_id = ${ctx.project_id} and g.job_id = k.job_id and g.environment_id = k.environment_id
        and g.fingerprint = k.fingerprint offset 0
    ) g`.execute(ctx.db);
  return new Map(rows.map((row) => [keyOf(row), row]));
}
