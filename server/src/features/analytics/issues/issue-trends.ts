import { type ErrorIssue, ISSUE_TREND_DAYS } from "@millrace/contract/alerts/error-issues";
import type { ProjectCtx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { groupBy } from "../../../platform/group-by.ts";
import { GRAINS } from "../reports/series.ts";
import type { IssueRow } from "./issue-queries.ts";

type Key = Pick<IssueRow, "job_id" | "environment_id" | "fingerprint">;
type Day = ErrorIssue["trend"][number];
type Trending = IssueRow & { trend: Day[] };

export async function withTrend(ctx: ProjectCtx, issue: IssueRow): Promise<Trending> {
  const [found] = await withTrends(ctx, [issue]);
  return { ...issue, trend: found?.trend ?? [] };
}

/** The issues of a page, with their days of failures. */
export async function withTrends(ctx: ProjectCtx, issues: readonly IssueRow[]): Promise<Trending[]> {
  if (issues.length === 0) return [];
  const days = groupBy(await readDays(ctx, issues), keyOf);
  return issues.map((issue) => ({
    ...issue,
    trend: (days.get(keyOf(issue)) ?? []).map(({ starts_at, runs, attempts }) => ({ starts_at, runs, attempts })),
  }));
}

function keyOf({ job_id, environment_id, fingerprint }: Key): string {
  return `${job_id} ${environment_id} ${fingerprint}`;
}

/** Looks up each day of each job: a range scan would read the days of all jobs. */
async function readDays(ctx: ProjectCtx, issues: readonly IssueRow[]): Promise<(Key & Day)[]> {
  const places = new Map(
    issues.map(({ job_id, environment_id }) => [`${job_id} ${environment_id}`, { job_id, environment_id }]),
  );
  const today = Math.floor(ctx.watch.nowMs() / 1_000 / GRAINS.day) * GRAINS.day;
  const { rows } = await sql<Key & Day>`
    select k.job_id, k.environment_id, substr(u.part, 1, 36) as fingerprint, u.bucket_at as starts_at,
      sum(u.counts[1])::float8 as runs, sum(u.counts[2])::float8 as attempts
    from json_to_recordset(${JSON.stringify([...places.values()])}::json) as k(job_id uuid, environment_id uuid)
    cross join generate_series(0, ${ISSUE_TREND_DAYS - 1}::int) as d(ago)
    cross join lateral (
      select r.part, r.bucket_at, r.counts from rollups r
      where r.project_id = ${ctx.project_id} and r.series = 'errors' and r.split = 'group'
        and r.grain = ${GRAINS.day}::int and r.bucket_at = to_timestamp(${today}::float8 - d.ago * ${GRAINS.day}::int)
        and r.subject_id = k.job_id and r.environment_id = k.environment_id
      offset 0
    ) u
    where substr(u.part, 1, 36) = any(${issues.map(({ fingerprint }) => fingerprint)}::text[])
    group by 1, 2, 3, 4 order by 4`.execute(ctx.db);
  return rows;
}
