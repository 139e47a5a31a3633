import { type RawBuilder, sql } from "kysely";
import { sequenceChanges } from "../../platform/changelog/sequence-changes.ts";
import type { Ctx } from "../../platform/context.ts";
import type { ClaimedDrain, DrainCursor } from "./claim-drains.ts";
import { MAX_RECORDS } from "./drain-rules.ts";

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

export type LoggedRecord = LogRecord & { position: number; created_at: string };

type Row = LoggedRecord & { head: number; cut_position: number | null; cut_id: string | null };

/**
 * The next lines of a drain in the order of the log, and the cursor after everything read if these are the last. Most
 * drains want every line, so that as many as are sent are enough; where few match, many are read.
 */
export async function readRecords(ctx: Ctx, drain: ClaimedDrain) {
  await sequenceChanges(ctx);
  const few = await readAmong(ctx, drain, MAX_RECORDS);
  return few.end?.is_all === false ? readAmong(ctx, drain, MAX_SCANNED) : few;
}

/** The matching ones among this many lines. */
async function readAmong(ctx: Ctx, drain: ClaimedDrain, max: number) {
  const { rows } = await sql<Row>`
    with scanned as materialized (
      select l.* from ${linesAfter(drain)} order by l.position, l.id limit ${max}
    ),
    matching as (
      select l.id, l.logged_at as time, l.level, l.message, l.fields, l.project_id, r.environment_id, l.job_id,
        j.slug as job_slug, l.run_id, l.attempt, r.workflow_run_id, r.step_ref, l.position, l.created_at
      from scanned l
      join runs r on r.project_id = l.project_id and r.id = l.run_id
      left join jobs j on j.project_id = l.project_id and j.id = l.job_id
      where ${matches(drain)}
      order by l.position, l.id limit ${MAX_RECORDS}
    ),
    cut as (select l.position, l.id from scanned l order by l.position, l.id offset ${max - 1} limit 1)
    select matching.*, h.position as head, cut.position as cut_position, cut.id as cut_id
    from changelog_head h left join cut on true left join matching on true
    order by matching.position, matching.id`.execute(ctx.db);
  const records: LoggedRecord[] = rows.filter((row) => row.position !== null);
  return { records, end: records.length < MAX_RECORDS && rows[0] ? endOf(rows[0]) : undefined };
}

/** A drain that fell far behind and wants few of them catches up in bounded steps. */
const MAX_SCANNED = 20_000;

/** The cursor after the lines that were read; `is_all`: there are no more. */
function endOf({ head, cut_position, cut_id }: Row): DrainCursor & { is_all: boolean } {
  if (cut_position !== null && cut_id !== null) return { position: cut_position, after_id: cut_id, is_all: false };
  return { position: head, after_id: LAST_ID, is_all: true };
}

export const LAST_ID = "ffffffff-ffff-ffff-ffff-ffffffffffff";
const LEVELS = ["debug", "info", "warn", "error"];

/** The lines after a drain's cursor, as rows `l` with their position. */
export function linesAfter({ project_id, position, after_id }: ClaimedDrain): RawBuilder<unknown> {
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

/** Whether a line `l` of a run `r` matches the filters of a drain. */
export function matches({ min_level, job_ids, environment_id }: ClaimedDrain): RawBuilder<unknown> {
  const levels = LEVELS.slice(LEVELS.indexOf(min_level));
  return sql`true
    ${min_level === "debug" ? sql`` : sql`and l.level = any(${levels})`}
    ${job_ids === null ? sql`` : sql`and l.job_id = any(${job_ids}::uuid[])`}
    ${environment_id === null ? sql`` : sql`and r.environment_id = ${environment_id}`}`;
}
