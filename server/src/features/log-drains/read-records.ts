import { type RawBuilder, sql } from "kysely";
import { HORIZON_XID, LOG_FLOOR } from "../../platform/changelog/read-log.ts";
import type { Ctx } from "../../platform/context.ts";
import type { ClaimedDrain, DrainCursor } from "./claim-drains.ts";
import { MOST_RECORDS } from "./drain-rules.ts";

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

export type LoggedRecord = LogRecord & { xid: string; created_at: string };

type Row = LoggedRecord & {
  horizon_xid: string;
  horizon_floor: string;
  cut_xid: string | null;
  cut_id: string | null;
};

/** The next lines of a drain in commit order, and the cursor after everything read if these are the last. */
export async function readRecords(ctx: Ctx, drain: ClaimedDrain) {
  const { rows } = await sql<Row>`
    with horizon as materialized (select ${HORIZON_XID} as horizon_xid, ${LOG_FLOOR} as horizon_floor),
    scanned as materialized (
      select l.* from run_logs l
      where ${behind(drain)} and l.xid <= (select horizon_xid from horizon)
      order by l.xid, l.id limit ${MOST_SCANNED}
    ),
    matching as (
      select l.id, l.logged_at as time, l.level, l.message, l.fields, l.project_id, r.environment_id, l.job_id,
        j.slug as job_slug, l.run_id, l.attempt, r.workflow_run_id, r.step_ref, l.xid, l.created_at
      from scanned l
      join runs r on r.project_id = l.project_id and r.id = l.run_id
      left join jobs j on j.project_id = l.project_id and j.id = l.job_id
      where ${fitting(drain)}
      order by l.xid, l.id limit ${MOST_RECORDS}
    ),
    cut as (select l.xid, l.id from scanned l order by l.xid, l.id offset ${MOST_SCANNED - 1} limit 1)
    select matching.*, horizon_xid, horizon_floor, cut.xid as cut_xid, cut.id as cut_id
    from horizon left join cut on true left join matching on true
    order by matching.xid, matching.id`.execute(ctx.db);
  const records: LoggedRecord[] = rows.filter((row) => row.xid !== null);
  return { records, end: records.length < MOST_RECORDS && rows[0] ? endOf(drain, rows[0]) : undefined };
}

/** Few of these may match: a drain that fell far behind catches up in bounded steps. */
const MOST_SCANNED = 20_000;

/** The cursor after the lines that were read; `is_all`: there are no more. */
function endOf({ floor_at }: ClaimedDrain, row: Row): DrainCursor & { is_all: boolean } {
  const { cut_xid, cut_id, horizon_xid, horizon_floor } = row;
  if (cut_xid !== null && cut_id !== null) return { after_xid: cut_xid, after_id: cut_id, floor_at, is_all: false };
  return { after_xid: horizon_xid, after_id: LAST_ID, floor_at: horizon_floor, is_all: true };
}

const LAST_ID = "ffffffff-ffff-ffff-ffff-ffffffffffff";
const LEVELS = ["debug", "info", "warn", "error"];

/** The lines after a drain's cursor that match its filters: `l` is the line, `r` its run. */
export function wanted(drain: ClaimedDrain): RawBuilder<unknown> {
  return sql`${behind(drain)} and ${fitting(drain)}`;
}

function behind({ project_id, after_xid, after_id, floor_at }: ClaimedDrain): RawBuilder<unknown> {
  return sql`l.project_id = ${project_id} and (l.xid, l.id) > (${after_xid}::xid8, ${after_id}::uuid)
    and l.created_at >= ${floor_at}::timestamptz`;
}

function fitting({ min_level, job_ids, environment_id }: ClaimedDrain): RawBuilder<unknown> {
  const levels = LEVELS.slice(LEVELS.indexOf(min_level));
  return sql`true
    ${min_level === "debug" ? sql`` : sql`and l.level = any(${levels})`}
    ${job_ids === null ? sql`` : sql`and l.job_id = any(${job_ids}::uuid[])`}
    ${environment_id === null ? sql`` : sql`and r.environment_id = ${environment_id}`}`;
}
