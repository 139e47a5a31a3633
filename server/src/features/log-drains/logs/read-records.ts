import type { Ctx } from "../../../platform/context.ts";
import { type Sql, sql } from "../../../platform/database/sql.ts";
import type { ClaimedDrain } from "../claim-drains.ts";
import { type Placed, readUnsent, type Unsent } from "../signal.ts";

/** A log line with the fields that every format has. */
export type LogRecord = {
  id: string;
  time: string;
  level: "debug" | "info" | "warn" | "error";
  message: string;
  fields: Record<string, unknown> | null;
  project_id: string;
  environment_id: string | null;
  job_id: string | null;
  job_slug: string | null;
  run_id: string | null;
  attempt: number | null;
  workflow_run_id: string | null;
  step_ref: string | null;
};

export type LoggedRecord = LogRecord & Placed;

/** The next lines of a drain. */
export function readRecords(ctx: Ctx, drain: ClaimedDrain): Promise<Unsent<LoggedRecord>> {
  const records = sql`
    select l.id, l.logged_at as time, l.level, l.message, l.fields, l.project_id, r.environment_id, l.job_id,
      j.slug as job_slug, l.run_id, l.attempt, r.workflow_run_id, r.step_ref, l.position, l.created_at
    from scanned l
    join runs r on r.project_id = l.project_id and r.id = l.run_id
    left join jobs j on j.project_id = l.project_id and j.id = l.job_id
    where ${matches(drain)}`;
  return readUnsent(ctx, { entries: linesAfter(drain), records });
}

/** All lines that a drain has not sent, as rows `l`. */
export function unsentLines(drain: ClaimedDrain): Sql {
  return sql`(
    select l.position, l.id, l.created_at from ${linesAfter(drain)}
    join runs r on r.project_id = l.project_id and r.id = l.run_id where ${matches(drain)}
  ) l`;
}

/** The lines after a drain's cursor, as rows `l` with their position. */
function linesAfter({ project_id, position, after_id }: ClaimedDrain): Sql {
  return sql`(
    select c.position, l.* from changelog c cross join lateral unnest(c.ids, c.row_ids) as m(run_id, id)
    cross join lateral (
      select l.* from run_logs l
      where l.project_id = c.project_id and l.run_id = m.run_id and l.created_at = c.created_at and l.id = m.id offset 0
    ) l
    where c.project_id = ${project_id} and c.kind = 'run_log' and c.position >= ${position}
      and (c.position, m.id) > (${position}, ${after_id}::uuid)
  ) l`;
}

const LEVELS = ["debug", "info", "warn", "error"];

/** Whether a line `l` of a run `r` matches the filters of a drain. */
function matches({ min_level, job_ids, environment_id }: ClaimedDrain): Sql {
  const levels = LEVELS.slice(LEVELS.indexOf(min_level));
  return sql`true
    ${min_level === "debug" ? sql`` : sql`and l.level = any(${levels})`}
    ${job_ids === null ? sql`` : sql`and l.job_id = any(${job_ids}::uuid[])`}
    ${environment_id === null ? sql`` : sql`and r.environment_id = ${environment_id}`}`;
}
