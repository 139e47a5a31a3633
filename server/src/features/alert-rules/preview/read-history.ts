import type { Ctx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { type Facts, type Missed, type NewIssue, readJobs, selectorOf } from "../evaluate/read-facts.ts";
import { bucketMsOf, type Ends, NIL_ID, splitOf, windowsOf } from "../evaluate/read-outcomes.ts";
import type { RuleRow } from "../queries.ts";

const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;
/** Sums that one preview looks up: a week of minutes is 10,080 for each job. */
const MAX_LOOKUPS = 200_000;
const MAX_EVENTS = 1_000;

/** The stored history for one rule. */
export type History = {
  fromMs: number;
  /** The jobs of its queue or tag. */
  jobs: Facts["jobs"];
  /** The ends in the window before a time. */
  endsAt: (window_secs: number, atMs: number) => Ends;
  /** In the order of their times. */
  issues: readonly NewIssue[];
  missed: readonly Missed[];
};

/** Undefined: no history of what the rule measures is stored. */
export async function readHistory(ctx: Ctx, rule: RuleRow, untilMs: number): Promise<History | undefined> {
  const startMs = Math.max(untilMs - WEEK_MS, await createdMs(ctx, rule.project_id));
  const jobs = await readJobs(ctx, rule.project_id, [rule]);
  const found = { fromMs: startMs, jobs, endsAt: () => ({ completed: 0, failed: 0 }), issues: [], missed: [] };
  if (rule.kind === "new_errors") return { ...found, issues: await readIssues(ctx, rule, startMs) };
  if (rule.kind === "schedule_missed") return { ...found, missed: await readMissed(ctx, rule, startMs) };
  const windows = windowsOf(rule);
  if (windows.length === 0) return undefined;
  const subjects = subjectsOf(rule, jobs);
  const reachMs = Math.floor(MAX_LOOKUPS / Math.max(1, subjects.length)) * bucketMsOf(Math.min(...windows));
  const fromMs = Math.max(startMs, untilMs - reachMs);
  const sums = new Map<number, Sums>();
  for (const window_secs of windows)
    sums.set(window_secs, await readSums(ctx, rule, subjects, { window_secs, fromMs, untilMs }));
  return { ...found, fromMs, endsAt: (window_secs, atMs) => sums.get(window_secs)?.(atMs) ?? found.endsAt() };
}

async function createdMs(ctx: Ctx, project_id: string): Promise<number> {
  const { rows } = await sql<{ created_at: string }>`
    select created_at from projects where id = ${project_id}`.execute(ctx.db);
  return Date.parse(rows[0]?.created_at ?? "");
}

function subjectsOf(rule: RuleRow, jobs: Facts["jobs"]): readonly string[] {
  const selector = selectorOf(rule);
  return selector === undefined ? [rule.job_id ?? rule.workflow_id ?? NIL_ID] : (jobs.get(selector) ?? []);
}

type Sums = (atMs: number) => Ends;
type Span = { window_secs: number; fromMs: number; untilMs: number };

/** Reads the buckets once, as sums from the beginning: a window is the difference of two. */
async function readSums(ctx: Ctx, rule: RuleRow, subjects: readonly string[], span: Span): Promise<Sums> {
  const bucketMs = bucketMsOf(span.window_secs);
  const firstMs = Math.floor((span.fromMs - span.window_secs * 1_000) / bucketMs) * bucketMs;
  const totals: Ends[] = [{ completed: 0, failed: 0 }];
  const byBucket = new Map((await readBuckets(ctx, rule, subjects, firstMs, bucketMs)).map((row) => [row.nth, row]));
  for (let nth = 0; firstMs + nth * bucketMs < span.untilMs; nth++) {
    const { completed, failed } = totals[nth] as Ends;
    const row = byBucket.get(nth);
    totals.push({ completed: completed + (row?.completed ?? 0), failed: failed + (row?.failed ?? 0) });
  }
  const totalAt = (ms: number) => totals[Math.max(0, Math.floor((ms - firstMs) / bucketMs))] as Ends;
  return (atMs) => {
    const [begin, end] = [totalAt(atMs - span.window_secs * 1_000), totalAt(atMs)];
    return { completed: end.completed - begin.completed, failed: end.failed - begin.failed };
  };
}

/** Looks up each bucket of each subject: a range scan would read the buckets of all jobs. */
async function readBuckets(
  ctx: Ctx,
  rule: RuleRow,
  subjects: readonly string[],
  firstMs: number,
  bucketMs: number,
): Promise<(Ends & { nth: number })[]> {
  const split = splitOf(rule);
  const series = split === "workflow" ? "workflows" : "runs";
  const { rows } = await sql<Ends & { nth: number }>`
    select b.nth, sum(u.completed)::float8 as completed, sum(u.failed)::float8 as failed
    from generate_series(0, (extract(epoch from clock()) * 1000 - ${firstMs}::float8)::bigint / ${bucketMs}::bigint) as b(nth)
    cross join unnest(${subjects}::uuid[]) as s(id)
    cross join lateral (
      select r.counts[2] as completed, r.counts[3] + r.counts[4] as failed from rollups r
      where r.project_id = ${rule.project_id} and r.series = ${series} and r.split = ${split}
        and r.grain = ${bucketMs / 1_000}::int and r.subject_id = s.id
        and r.bucket_at = to_timestamp((${firstMs}::float8 + b.nth * ${bucketMs}::float8) / 1000)
        ${rule.environment_id === null ? sql`` : sql`and r.environment_id = ${rule.environment_id}`}
      offset 0
    ) u
    group by 1`.execute(ctx.db);
  return rows.map((row) => ({ ...row, nth: Number(row.nth) }));
}

/** Only the first and the last time that an issue was opened are stored. */
async function readIssues(ctx: Ctx, rule: RuleRow, fromMs: number): Promise<NewIssue[]> {
  const { rows } = await sql<NewIssue>`
    select g.id, g.job_id, g.environment_id, g.message, o.opened_at from error_groups g
    cross join lateral (select distinct o.at as opened_at from (values (g.first_seen_at), (g.opened_at)) as o(at)) o
    where g.project_id = ${rule.project_id} and g.status <> 'ignored'
      and o.opened_at > to_timestamp(${fromMs / 1_000}::float8) - ${rule.window_secs} * interval '1 second'
    order by o.opened_at limit ${MAX_EVENTS}`.execute(ctx.db);
  return rows;
}

async function readMissed(ctx: Ctx, rule: RuleRow, fromMs: number): Promise<Missed[]> {
  const { rows } = await sql<Missed>`
    select s.id as schedule_id, s.job_id, s.workflow_id, f.scheduled_for as at, null::float8 as delay_secs
    from schedules s join schedule_fires f on f.project_id = s.project_id and f.schedule_id = s.id
    where s.project_id = ${rule.project_id} and (f.outcome in ('missed', 'refused') or f.reason like '% missed')
      and f.scheduled_for > to_timestamp(${fromMs / 1_000}::float8) - ${rule.window_secs} * interval '1 second'
    order by f.scheduled_for limit ${MAX_EVENTS}`.execute(ctx.db);
  return rows;
}
