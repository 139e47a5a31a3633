import { type RawBuilder, sql } from "kysely";
import type { Ctx } from "../../platform/context.ts";
import { LOG_FLOOR, SETTLED_XID } from "../../platform/ledger/read-log.ts";
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

type Row = PlacedRecord & { settled_xid: string; settled_floor: string };

/** The next lines of a drain in the order they were committed, and the place after all there is if these are the last. */
export async function readRecords(ctx: Ctx, drain: ClaimedDrain) {
  const { rows } = await sql<Row>`
    with settled as materialized (select ${SETTLED_XID} as settled_xid, ${LOG_FLOOR} as settled_floor),
    slice as (
      select l.id, l.logged_at as time, l.level, l.message, l.fields, l.project_id, r.environment_id, l.job_id,
        j.slug as job_slug, l.run_id, l.attempt, r.workflow_run_id, r.step_ref, l.xid, l.created_at
      from run_logs l
      join runs r on r.project_id = l.project_id and r.id = l.run_id
      left join jobs j on j.project_id = l.project_id and j.id = l.job_id
      where ${wanted(drain)} and l.xid <= (select settled_xid from settled)
      order by l.xid, l.id limit ${MOST_RECORDS}
    )
    select slice.*, settled_xid, settled_floor from settled left join slice on true
    order by slice.xid, slice.id`.execute(ctx.db);
  const records: PlacedRecord[] = rows.filter((row) => row.xid !== null);
  const settled = rows[0];
  const end: DrainPlace | undefined =
    settled && records.length < MOST_RECORDS
      ? { after_xid: settled.settled_xid, after_id: LAST_ID, floor_at: settled.settled_floor }
      : undefined;
  return { records, end };
}

const LAST_ID = "ffffffff-ffff-ffff-ffff-ffffffffffff";
const LEVELS = ["debug", "info", "warn", "error"];

/** The lines after a drain's place that it is to send: `l` is the line, `r` its run. */
export function wanted(drain: ClaimedDrain): RawBuilder<unknown> {
  const { project_id, after_xid, after_id, floor_at, min_level, job_ids, environment_id } = drain;
  const levels = LEVELS.slice(LEVELS.indexOf(min_level));
  return sql`l.project_id = ${project_id} and (l.xid, l.id) > (${after_xid}::xid8, ${after_id}::uuid)
    and l.created_at >= ${floor_at}::timestamptz
    ${min_level === "debug" ? sql`` : sql`and l.level = any(${levels})`}
    ${job_ids === null ? sql`` : sql`and l.job_id = any(${job_ids}::uuid[])`}
    ${environment_id === null ? sql`` : sql`and r.environment_id = ${environment_id}`}`;
}
