import { randomUUID } from "node:crypto";
import { appendRunChanges } from "../../../platform/changelog/append-changes.ts";
import { changesAppended } from "../../../platform/changelog/wake-readers.ts";
import type { Ctx } from "../../../platform/context.ts";
import { violates } from "../../../platform/database/database-errors.ts";
import { hasKeyOf } from "../../../platform/database/has-key-of.ts";
import { type Sql, sql } from "../../../platform/database/sql.ts";
import type { TraceContext } from "../../../platform/trace-context.ts";
import { countTransitions } from "../count-transitions.ts";
import { takeTurns, writeRanks } from "../turns/take-turns.ts";

/**
 * A run under a lease of this instance. JSON stays the text the database returned: it is forwarded without being
 * parsed.
 */
export type ClaimedRun = {
  project_id: string;
  run_id: string;
  job_id: string;
  job_slug: string;
  job_version_id: string;
  environment_id: string;
  host: string;
  attempt: number;
  tries_used: number;
  crash_count: number;
  max_attempts: number;
  timeout_secs: number;
  payload: string;
  metadata: string;
  tags: string;
  checkpoint: string | null;
  state: string | null;
  scheduled_at: string;
  deadline: string;
  workflow_run_id: string | null;
  step_ref: string | null;
  parent_outputs: string | null;
  /** How many waits it has opened so far. */
  waits: number;
  traceparent: TraceContext | null;
  lease_token: string;
  /** The concurrency counters in which it holds a slot; null for most. */
  slots: string[] | null;
};

/** The columns of a run under a lease. JSON as text, which a second cast leaves as it is. */
export function claimedColumns(table: string): Sql {
  const column = (name: string) => sql`${sql.ref(`${table}.${name}`)}${AS_TEXT.has(name) ? sql`::text` : sql``}`;
  return sql.join(CLAIMED.map(column));
}

const AS_TEXT = new Set(["payload", "metadata", "tags", "checkpoint", "state", "parent_outputs"]);
const CLAIMED = [
  ...["job_version_id", "environment_id", "attempt", "tries_used", "crash_count", "max_attempts", "timeout_secs"],
  ...["scheduled_at", "workflow_run_id", "step_ref", "waits", "traceparent"],
  ...AS_TEXT,
];

export const LEASE_SECS = 30;

/** A worker that claims: it holds the lease, which no instance renews. Its first heartbeat extends it. */
export type WorkerLease = { worker_id: string; claim_id: string; lease_secs: number };

/**
 * What a worker claims. `isFirst`: the claim has no runs yet. It gets none if another instance has claimed for the same
 * request, and fails (`isClaimedElsewhere`) if one does so at the same time.
 */
export type WorkerClaim = WorkerLease & { isFirst: boolean };

/** How many runs to claim from a lane, and from which queue position on. */
export type LaneShare = { project_id: string; host: string; share: number; bound: string };

/** `turn`: how much of its share the queue has had; each run adds `1 / weight`. */
export type PullLane = LaneShare & { queue: string; turn: number; weight: number };

/** Callers may pass lanes with more fields; only these are sent to the database. */
const SENT: (keyof PullLane)[] = ["project_id", "host", "share", "bound", "queue", "turn", "weight"];

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

/** Another claim may have locked the first runs: this many more are read. */
const MORE_CANDIDATES = 50;

/**
 * The same for a worker: no more than `max` runs from all of its lanes. These are merged: queues take turns by weight, and rank decides inside a queue. Runs are
 * chosen first, then locked in order until there are enough: locking the share of every lane would hide runs from
 * other claims. `is true` hides the guard from the planner, which would walk the index of all claimable runs for each.
 */
export function claimForWorker(
  ctx: Ctx,
  lanes: readonly PullLane[],
  worker: WorkerClaim & { max: number },
): Promise<Claim> {
  const heads = sql`
    lanes as materialized (
      select * from rows from (
        json_to_recordset(${JSON.stringify(lanes, SENT)}::json) as (
          project_id uuid, host text, share int, bound timestamptz, queue text, turn float8, weight float8)
      ) with ordinality as l(project_id, host, share, bound, queue, turn, weight, lane)
    ),
    candidates as materialized (
      select l.lane, l.host, q.project_id, q.run_id,
        l.turn + row_number() over (partition by l.queue order by q.rank_at, q.run_id) / l.weight as turn, q.rank_at
      from lanes l, lateral (
        select q.project_id, q.run_id, q.rank_at from run_queue q
        where q.project_id = l.project_id and q.host = l.host and q.lease_until is null and q.blocked_on is null
          and q.stopped is null and q.rank_at >= l.bound
        order by q.rank_at, q.run_id limit l.share
      ) q
      ${worker.isFirst ? sql`where ${hasNoClaim(lanes[0]?.project_id, worker)}` : sql``}
      order by turn, q.rank_at, q.run_id limit ${worker.max + MORE_CANDIDATES}
    ),
    heads as materialized (
      select c.lane, c.host as line, q.* from candidates c, lateral (
        select q.project_id, q.run_id, q.job_id, q.rank_at, q.turn_at from run_queue q
        where q.project_id = c.project_id and q.run_id = c.run_id
          and (q.lease_until is null and q.blocked_on is null and q.stopped is null) is true
        for update skip locked
      ) q
      limit ${worker.max}
    )`;
  return claimHeads(ctx, lanes, heads, worker);
}

/** A request that waits here may have been repeated to another instance. */
export function hasNoClaim(project_id: string | undefined, { worker_id, claim_id }: WorkerLease): Sql {
  return sql`not exists (
        select 1 from run_queue c
        where c.project_id = ${project_id} and c.worker_id = ${worker_id} and c.worker_id is not null
          and c.claim_id = ${claim_id}::uuid
      )`;
}

/** Which rows `q` are claimable in the lane of the host `p.line`. */
const CLAIMABLE = sql`q.host = p.line and q.lease_until is null and q.blocked_on is null and q.stopped is null`;

async function claimHeads(ctx: Ctx, lanes: readonly LaneShare[], heads: Sql, worker?: WorkerClaim): Promise<Claim> {
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

/** The lease of a claimed queue row `q`: of this instance, or of a worker. `isOne` is true for one of the rows. */
export function leaseColumns(ctx: Ctx, token: string, worker: WorkerClaim | undefined, isOne: Sql): Sql {
  const deadline = sql`deadline = clock() + q.timeout_secs * interval '1 second'`;
  if (!worker)
    return sql`lease_until = clock() + ${LEASE_SECS} * interval '1 second', lease_token = ${token}::uuid,
        instance_id = ${ctx.instance_id}, ${deadline}`;
  return sql`lease_until = clock() + least(${worker.lease_secs}, q.timeout_secs) * interval '1 second',
        lease_token = ${token}::uuid, worker_id = ${worker.worker_id}, claim_id = ${worker.claim_id}::uuid, ${deadline},
        first_of_claim = ${worker.isFirst ? sql`case when ${isOne} then ${worker.claim_id}::uuid end` : sql`null`}`;
}

/** Another instance has claimed for the same request, at the same time. */
export function isClaimedElsewhere(error: unknown): boolean {
  return violates(error, "run_queue_first_of_claim_idx");
}

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

/**
 * The second half of a claim, shared by both kinds: of the rows in `leased(project_id, run_id, host, deadline, slots)`
 * the pending runs become running, each with its transition, which is derived if it is the second. Looked up row by row (`offset 0` keeps the planner from
 * joining the whole table when its row estimate is far off), updated by key: a run changed since this statement began
 * has a new row version. The guard is a `case` for the planner's sake: with `status =` it expects next to no rows, and
 * picks a nested loop over all pairs.
 */
export function startLeased(token: string): Sql {
  return sql`
    found as materialized (
      select r.*, l.host, l.deadline, l.slots from leased l, lateral (
        select r.project_id, r.id from runs r
        where r.project_id = l.project_id and r.id = l.run_id and r.status = 'pending' offset 0
      ) r
    ),
    started as (
      update runs r set prev_status = r.status, status = 'running', transition_count = r.transition_count + 1, attempt = r.attempt + 1,
        started_at = coalesce(r.started_at, clock()), updated_at = clock(),
        derived_transitions = case when r.derived_transitions = 1 and r.transition_count = 1 then 2 else r.derived_transitions end
      from found f
      where r.project_id = f.project_id and r.id = f.id and case when r.status = 'pending' then true else false end
      returning r.project_id, r.id, r.transition_count, r.transition_count = r.derived_transitions as is_derived, r.updated_at, r.job_id,
        f.host, f.deadline, f.slots, ${claimedColumns("r")}
    ),
    logged as (
      insert into run_transitions (project_id, run_id, ordinal, from_status, to_status, cause, attempt, created_at)
      select project_id, id, transition_count, 'pending', 'running', 'claimed', attempt, updated_at from started where not is_derived
    ),
    ${appendRunChanges(STARTED)},
    claimed as (
      select project_id, id as run_id, job_id, host, deadline, slots, ${claimedColumns("started")}, ${token}::uuid as lease_token
      from started
    )`;
}

const STARTED = sql`(
  select project_id, id as run_id, transition_count as ordinal, 'pending' as from_status, 'running' as to_status, 'claimed' as cause, attempt,
    updated_at as created_at
  from started
) s`;
