import type { Ctx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { type Claim, claimHeads, type LaneShare } from "./claim-runs.ts";
import { hasNoClaim, type WorkerClaim } from "./lease-runs.ts";

/** `turn`: how much of its share the queue has had; each run adds `1 / weight`. */
export type PullLane = LaneShare & { queue: string; turn: number; weight: number };

/** Callers may pass lanes with more fields; only these are sent to the database. */
const SENT: (keyof PullLane)[] = ["project_id", "host", "share", "bound", "queue", "turn", "weight"];

/** Another claim may have locked the first runs: this many more are read. */
const MORE_CANDIDATES = 50;

/**
 * Claims for a worker, no more than `max` runs from all of its lanes. These are merged: queues take turns by weight, and
 * rank decides inside a queue. Runs are chosen first, then locked in order until there are enough: locking the share of
 * every lane, as `claimRuns` does, would hide runs from other claims. `is true` hides the guard from the planner, which
 * would walk the index of all claimable runs for each.
 */
export function claimPulledRuns(
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
