import type { Ctx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import type { EvaluatedRule } from "../queries.ts";

/** Ends of runs or workflow runs in a window. */
export type Ends = { completed: number; failed: number };
type Row = Ends & { name: string; subject_id: string; environment_id: string };

/** Ends by window, series, subject and environment. */
export type Outcomes = ReadonlyMap<string, readonly Row[]>;

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** Longer windows are read as hours: a week of minutes would be ten thousand rows per job. */
const MAX_MINUTES_SECS = 21_600;
/** Stands for all subjects in `rollups`. */
export const NIL_ID = "00000000-0000-0000-0000-000000000000";
/** A burn rate must be exceeded in a twelfth of the window too: otherwise it would fire long after it is over. */
const SHORT_SHARE = 12;

export function windowsOf({ kind, window_secs }: Pick<EvaluatedRule, "kind" | "window_secs">): number[] {
  if (kind === "failure_rate" || kind === "no_success") return [window_secs];
  return kind === "slo_burn_rate" ? [window_secs, shortWindow(window_secs)] : [];
}

export function shortWindow(window_secs: number): number {
  return Math.max(60, Math.floor(window_secs / SHORT_SHARE));
}

/** The sums that the rules of a project need, in one statement. */
export async function readOutcomes(
  ctx: Ctx,
  project_id: string,
  rules: readonly EvaluatedRule[],
  nowMs: number,
): Promise<Outcomes> {
  const spans = new Map<string, object>();
  for (const rule of rules)
    for (const window_secs of windowsOf(rule)) spans.set(spanName(rule, window_secs), spanOf(rule, window_secs, nowMs));
  if (spans.size === 0) return new Map();
  const { rows } = await sql<Row>`
    /* prepared */
    select s.name, u.subject_id, u.environment_id, sum(u.counts[2])::float8 as completed,
      sum(u.counts[3] + u.counts[4])::float8 as failed
    from json_to_recordset(${JSON.stringify([...spans.values()])}::json) as s(
      name text, series text, split text, grain int, begins_at timestamptz(3))
    cross join lateral (
      select r.subject_id, r.environment_id, r.counts from rollups r
      where r.project_id = ${project_id} and r.series = s.series and r.split = s.split and r.grain = s.grain
        and r.bucket_at >= s.begins_at
      offset 0
    ) u
    group by 1, 2, 3`.execute(ctx.db);
  const found = new Map<string, Row[]>();
  for (const row of rows) {
    const key = `${row.name} ${row.subject_id}`;
    const some = found.get(key);
    if (some) some.push(row);
    else found.set(key, [row]);
  }
  return found;
}

/** The ends that a rule measures. `job_ids`: of its queue or tag. */
export function endsOf(
  outcomes: Outcomes,
  rule: EvaluatedRule,
  window_secs: number,
  job_ids: readonly string[] | undefined,
): Ends {
  const { job_id, workflow_id, environment_id } = rule;
  const ends = { completed: 0, failed: 0 };
  for (const subject of job_ids ?? [job_id ?? workflow_id ?? NIL_ID]) {
    for (const row of outcomes.get(`${spanName(rule, window_secs)} ${subject}`) ?? []) {
      if (environment_id !== null && row.environment_id !== environment_id) continue;
      ends.completed += row.completed;
      ends.failed += row.failed;
    }
  }
  return ends;
}

/** The same outcomes, of one rule alone and from other sums: `selectorOf` the rule has the nil id as its only job. */
export function outcomesOf(rule: EvaluatedRule, ends: (window_secs: number) => Ends): Outcomes {
  const subject_id = rule.job_id ?? rule.workflow_id ?? NIL_ID;
  const environment_id = rule.environment_id ?? NIL_ID;
  return new Map(
    windowsOf(rule).map((window_secs) => {
      const name = spanName(rule, window_secs);
      return [`${name} ${subject_id}`, [{ ...ends(window_secs), name, subject_id, environment_id }]];
    }),
  );
}

type Targeted = Pick<EvaluatedRule, "job_id" | "workflow_id" | "queue" | "tag">;

export function splitOf({ job_id, workflow_id, queue, tag }: Targeted): "all" | "job" | "workflow" {
  if (workflow_id !== null) return "workflow";
  return (job_id ?? queue ?? tag) ? "job" : "all";
}

export function bucketMsOf(window_secs: number): number {
  return window_secs > MAX_MINUTES_SECS ? HOUR_MS : MINUTE_MS;
}

function spanName(rule: Targeted, window_secs: number): string {
  return `${splitOf(rule)} ${window_secs}`;
}

function spanOf(rule: Targeted, window_secs: number, nowMs: number): object {
  const split = splitOf(rule);
  const bucketMs = bucketMsOf(window_secs);
  const beginsMs = Math.floor((nowMs - window_secs * 1_000) / bucketMs) * bucketMs;
  return {
    ...{ name: spanName(rule, window_secs), split, series: split === "workflow" ? "workflows" : "runs" },
    ...{ grain: bucketMs / 1_000, begins_at: new Date(beginsMs).toISOString() },
  };
}
