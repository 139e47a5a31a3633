import { randomUUID } from "node:crypto";
import { changesAppended } from "../../../platform/changelog/wake-readers.ts";
import type { Ctx } from "../../../platform/context.ts";
import { hasKeyOf } from "../../../platform/database/has-key-of.ts";
import { type Sql, sql } from "../../../platform/database/sql.ts";
import { countTransitions } from "../count-transitions.ts";
import { takeTurns, writeRanks } from "../turns/take-turns.ts";
import { type ClaimedRun, claimedColumns } from "./claimed-run.ts";
import { leaseColumns, startLeased, type WorkerClaim } from "./lease-runs.ts";

/** How many runs to claim from a lane, and from which queue position on. */
export type LaneShare = { project_id: string; host: string; share: number; bound: string };

/** Callers may pass lanes with more fields; only these are sent to the database. */
const SENT: (keyof LaneShare)[] = ["project_id", "host", "share", "bound"];

/** A run that was seen but not claimed: its job has limits or is paused, so its counters are checked first. */
export type UncheckedRun = { project_id: string; run_id: string };

type Picked = { lane: number; rank_at: string; needs_check: boolean } & UncheckedRun &
  (Omit<ClaimedRun, "lease_token"> | { job_version_id: null });

export type Claim = {
  claimed: ClaimedRun[];
  unchecked: UncheckedRun[];
  /** For each lane: how many were seen, and the position of the last. */
  seen: { count: number; last: string | undefined }[];
};

/**
 * Claims from many lanes in one statement that commits by itself: unlocked rows in order of rank, from the lane's bound
 * on. The bound skips what was claimed before: without it a snapshot held open elsewhere makes every claim walk the
 * dead entries (810 → 489 claims/s in 15 s, and falling).
 *
 * Plan: one index range per lane, one index lookup per run; the cost does not depend on table size. The lanes are
 * passed as JSON because the planner estimates a hundred rows for that: with an estimate of one it ends in nested
 * loops, and 1,500 runs took seven seconds.
 */
export function claimRuns(ctx: Ctx, lanes: readonly LaneShare[]): Promise<Claim> {
  const heads = sql`
    lanes as materialized (
      select * from rows from (
        json_to_recordset(${JSON.stringify(lanes, SENT)}::json) as (project_id uuid, host text, share int, bound timestamptz)
      ) with ordinality as l(project_id, host, share, bound, lane)
    ),
    heads as materialized (
      select l.lane, l.host as line, q.* from lanes l, lateral (
        select q.project_id, q.run_id, q.job_id, q.rank_at, q.turn_at from run_queue q
        where q.project_id = l.project_id and q.host = l.host and q.lease_until is null and q.blocked_on is null
          and q.stopped is null and q.rank_at >= l.bound
        order by q.rank_at, q.run_id limit l.share for update skip locked
      ) q
    )`;
  return claimHeads(ctx, lanes, heads);
}

/** Which rows `q` are claimable in the lane of the host `p.line`. */
const CLAIMABLE = sql`q.host = p.line and q.lease_until is null and q.blocked_on is null and q.stopped is null`;

/**
 * What both claims share: of the locked rows in `heads(lane, line, project_id, run_id, job_id, rank_at, turn_at)`, those
 * that need no check are leased and started.
 */
export async function claimHeads(
  ctx: Ctx,
  lanes: readonly LaneShare[],
  heads: Sql,
  worker?: WorkerClaim,
): Promise<Claim> {
  const token = randomUUID();
  const { rows } = await sql<Picked>`
    /* prepared */
    with ${heads},
    ${takeTurns(CLAIMABLE)},
    checked as materialized (
      select p.*, j.slug, j.needs_check from taken p, lateral (
        select j.slug, j.is_limited or j.paused_at is not null or j.queue_needs_check as needs_check from jobs j
        where j.project_id = p.project_id and j.id = p.job_id offset 0
      ) j
    ),
    leased as (
      update run_queue q set ${leaseColumns(ctx, token, worker, FIRST_CHECKED)},
        debounce_key = null, expires_at = null, granted_by = null, kept = null, refusals = 0, refused_at = null
      from checked c where ${hasKeyOf("q", "c", "run_id")} and not c.needs_check
      returning q.project_id, q.run_id, q.host, q.deadline, q.slots
    ),
    moved as (
      ${writeRanks(sql`not d.is_taken or d.run_id in (select run_id from checked where needs_check)`)}
    ),
    ${startLeased(token)}
    select j.lane::int, j.rank_at, j.needs_check, j.project_id, j.run_id, j.job_id, j.slug as job_slug, c.host, c.deadline, c.slots,
      ${claimedColumns("c")}
    from checked j left join claimed c on c.run_id = j.run_id
    order by j.lane, j.rank_at`.execute(ctx.db);
  if (rows.length > 0) changesAppended(ctx, "run");
  return splitClaimed(ctx, lanes, rows, token);
}

const FIRST_CHECKED = sql`q.run_id = (select run_id from checked where not needs_check limit 1)`;

function splitClaimed(ctx: Ctx, lanes: readonly LaneShare[], rows: Picked[], lease_token: string): Claim {
  const seen: Claim["seen"] = lanes.map(() => ({ count: 0, last: undefined }));
  const claimed: ClaimedRun[] = [];
  const unchecked: UncheckedRun[] = [];
  for (const row of rows) {
    const lane = seen[row.lane - 1];
    if (lane) {
      lane.count++;
      lane.last = row.rank_at;
    }
    if (row.needs_check) unchecked.push(row);
    // Values shared by all runs are not returned per row: reading a column of a row costs half a microsecond.
    else if (row.job_version_id !== null) claimed.push(Object.assign(row, { lease_token }));
  }
  countTransitions(
    ctx,
    claimed.map(() => ({ from_status: "pending", to_status: "running" })),
  );
  return { claimed, unchecked, seen };
}
