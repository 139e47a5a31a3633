import { type RawBuilder, sql } from "kysely";
import { LOG_FLOOR, SETTLED_XID } from "../../platform/changelog/read-log.ts";
import type { Ctx } from "../../platform/context.ts";
import type { ClaimedDrain, DrainPlace } from "./claim-drains.ts";
import { MOST_RECORDS } from "./drain-rules.ts";

/** A line of a log as every format has it. */
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

export type PlacedRecord = LogRecord & { xid: string; created_at: string };

type Row = PlacedRecord & {
  settled_xid: string;
  settled_floor: string;
  cut_xid: string | null;
  cut_id: string | null;
};

/** The next lines of a drain in the order they were committed, and the place after all there is if these are the last. */
export async function readRecords(ctx: Ctx, drain: ClaimedDrain) {
  const { rows } = await sql<Row>`
    with settled as materialized (select ${SETTLED_XID} as settled_xid, ${LOG_FLOOR} as settled_floor),
    looked_at as materialized (
      select l.* from run_logs l
      where ${behind(drain)} and l.xid <= (select settled_xid from settled)
      order by l.xid, l.id limit ${MOST_LOOKED_AT}
    ),
    slice as (
      select l.id, l.logged_at as time, l.level, l.message, l.fields, l.project_id, r.environment_id, l.job_id,
        j.slug as job_slug, l.run_id, l.attempt, r.workflow_run_id, r.step_ref, l.xid, l.created_at
      from looked_at l
      join runs r on r.project_id = l.project_id and r.id = l.run_id
      left join jobs j on j.project_id = l.project_id and j.id = l.job_id
      where ${fitting(drain)}
      order by l.xid, l.id limit ${MOST_RECORDS}
    ),
    cut as (select l.xid, l.id from looked_at l order by l.xid, l.id offset ${MOST_LOOKED_AT - 1} limit 1)
    select slice.*, settled_xid, settled_floor, cut.xid as cut_xid, cut.id as cut_id
    from settled left join cut on true left join slice on true
    order by slice.xid, slice.id`.execute(ctx.db);
  const records: PlacedRecord[] = rows.filter((row) => row.xid !== null);
  return { records, end: records.length < MOST_RECORDS && rows[0] ? endOf(drain, rows[0]) : undefined };
}

/** Of which few may fit: a drain that fell far behind catches up in bounded steps. */
const MOST_LOOKED_AT = 20_000;

/** Behind what was looked at; `is_all`: that is everything there is. */
function endOf({ floor_at }: ClaimedDrain, row: Row): DrainPlace & { is_all: boolean } {
  const { cut_xid, cut_id, settled_xid, settled_floor } = row;
  if (cut_xid !== null && cut_id !== null) return { after_xid: cut_xid, after_id: cut_id, floor_at, is_all: false };
  return { after_xid: settled_xid, after_id: LAST_ID, floor_at: settled_floor, is_all: true };
}

const LAST_ID = "ffffffff-ffff-ffff-ffff-ffffffffffff";
const LEVELS = ["debug", "info", "warn", "error"];

/** The lines after a drain's place that it is to send: `l` is the line, `r` its run. */
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
