import {
  type ErrorIssueDetail,
  type ErrorIssueRunList,
  ISSUE_TREND_DAYS,
  type ListErrorIssueRunsQuery,
} from "@millrace/contract/alerts/error-issues";
import { visible } from "../../../platform/access/policies/visibility.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { presentWalk, readWalk } from "../../../platform/listing/page.ts";
import { readJobNames } from "../reports/read-names.ts";
import { GRAINS } from "../reports/series.ts";
import { fingerprintOf, normalize } from "../rollups/fingerprint.ts";
import { inChunks } from "../rollups/in-chunks.ts";
import { findIssue, type IssueRow, openIssues } from "./issue-queries.ts";

type Row = { starts_at: string; job_version_id: string; runs: number; attempts: number };

/** Counts come from the rollups by day, which are kept forever. */
export async function getIssue(ctx: ProjectCtx, id: string): Promise<ErrorIssueDetail> {
  const issue = await findIssue(await openIssues(ctx), id);
  const rows = await readDays(ctx, issue);
  const versions = new Map<string, number>();
  const days = new Map<string, { runs: number; attempts: number }>();
  for (const { starts_at, job_version_id, runs, attempts } of rows) {
    versions.set(job_version_id, (versions.get(job_version_id) ?? 0) + attempts);
    const day = days.get(starts_at) ?? { runs: 0, attempts: 0 };
    days.set(starts_at, { runs: day.runs + runs, attempts: day.attempts + attempts });
  }
  const names = (await readJobNames(ctx, [issue.job_id], [...versions.keys()])).get(issue.job_id);
  const since = ctx.watch.nowMs() - ISSUE_TREND_DAYS * GRAINS.day * 1_000;
  return {
    ...issue,
    runs: rows.reduce((sum, { runs }) => sum + runs, 0),
    attempts: rows.reduce((sum, { attempts }) => sum + attempts, 0),
    versions: [...versions]
      .map(([job_version_id, attempts]) => ({
        ...{ job_version_id, version: names?.versions[job_version_id] ?? null, attempts },
      }))
      .sort((a, b) => (b.version ?? 0) - (a.version ?? 0)),
    trend: [...days]
      .filter(([starts_at]) => Date.parse(starts_at) >= since)
      .map(([starts_at, counts]) => ({ starts_at, ...counts }))
      .sort((a, b) => (a.starts_at < b.starts_at ? -1 : 1)),
  };
}

/** The `part` of a row is the fingerprint and the version of the job. */
async function readDays(ctx: ProjectCtx, { job_id, environment_id, fingerprint, first_seen_at }: IssueRow) {
  const { rows } = await sql<Row>`
    select r.bucket_at as starts_at, substr(r.part, 38) as job_version_id, r.counts[1]::float8 as runs,
      r.counts[2]::float8 as attempts
    from rollups r
    where r.project_id = ${ctx.project_id} and r.series = 'errors' and r.split = 'group' and r.grain = ${GRAINS.day}::int
      and r.bucket_at >= ${first_seen_at}::timestamptz - interval '1 day' and r.subject_id = ${job_id}
      and r.environment_id = ${environment_id} and r.part like ${`${fingerprint} %`}`.execute(ctx.db);
  return rows;
}

/** Dead letters of the job that are compared per request. */
const MAX_COMPARED = 2_000;
const CHUNK = 100;

type DeadLetter = {
  id: string;
  created_at: string;
  step_ref: string | null;
  status: string;
  detail: { http_status?: number | null; error?: { code?: string; message?: string } | null } | null;
};

/** The runs of an issue in the dead-letter queue: their errors have its fingerprint. */
export async function listIssueRuns(
  ctx: ProjectCtx,
  id: string,
  query: ListErrorIssueRunsQuery,
): Promise<ErrorIssueRunList> {
  const reader = await openIssues(ctx);
  const { job_id, environment_id, fingerprint } = await findIssue(reader, id);
  const walk = readWalk(ctx, `error-issue-runs ${id}`, { ...query, order: "asc" }, "r");
  const { rows } = await sql<DeadLetter>`
    select r.id, r.created_at, r.step_ref, r.status, t.detail from runs r cross join lateral (
      select t.detail from run_history t
      where t.project_id = r.project_id and t.run_id = r.id order by t.ordinal desc limit 1
    ) t
    where r.project_id = ${ctx.project_id} and r.dead_lettered_at is not null and r.job_id = ${job_id}
      and r.environment_id = ${environment_id} and ${visible(reader, "runs", "r")} ${walk.page.after}
    order by r.id limit ${MAX_COMPARED}`.execute(reader.db);
  const found: DeadLetter[] = [];
  await inChunks(rows, CHUNK, (row) => {
    if (fingerprintOf(failureOf(job_id, row)) === fingerprint) found.push(row);
  });
  const stopped_at = rows.length < MAX_COMPARED ? null : (rows.at(-1)?.id ?? null);
  const { data, ...page } = presentWalk(ctx, walk, found, stopped_at);
  return { data: data.map(({ id, created_at }) => ({ id, created_at })), ...page };
}

function failureOf(job_id: string, { step_ref, status, detail }: DeadLetter) {
  const { error, http_status = null } = detail ?? {};
  const message = normalize(error?.message ?? (status === "timed_out" ? "timed out" : "failed"));
  return { job_id, step_ref, http_status, code: error?.code?.slice(0, 100) ?? null, message };
}
