import { hasKeyOf } from "../../../platform/database/has-key-of.ts";
import { type Sql, sql } from "../../../platform/database/sql.ts";

/**
 * Between jobs, rank decides (`rank_at`); among the runs of one job with concurrency keys, their turns (`turn_at`). So the
 * first runs by rank only say how many places each job has: its runs with the earliest turns take them, and exchange
 * ranks with those that had them. With one order for both, keys that always have a newcomer would hold up older runs of
 * other jobs forever.
 *
 * Runs that were triggered together have the same rank. Where the turn changes their order, those that take a place come
 * a microsecond before the others: decisions compare ranks, then ids, and would let the others go first, which have no
 * turn, so that none would start.
 *
 * A `line` is the host of a lane, or a reason that runs are blocked on. Expects `heads(lane, line, project_id, run_id,
 * job_id, rank_at, turn_at)`, the first rows of each line, locked. Makes `taken`, with the same columns but
 * `turn_at`, and `dealt`: all rows of a job that take or leave a place, with the rank that they get. `waiting`: which
 * rows `q` belong to `p.line`.
 */
export function takeTurns(waiting: Sql): Sql {
  return sql`
    places as materialized (
      select lane, line, project_id, job_id, count(*) as places from heads where turn_at is not null
      group by lane, line, project_id, job_id
    ),
    nearest as materialized (
      select p.lane, q.* from places p, lateral (
        select q.project_id, q.run_id, q.job_id, q.rank_at, q.turn_at from run_queue q
        where q.project_id = p.project_id and q.job_id = p.job_id and q.turn_at is not null and ${waiting}
        order by q.turn_at, q.run_id limit p.places for update skip locked
      ) q
    ),
    dealt as materialized (
      select p.lane, p.line, p.project_id, d.run_id, p.job_id, d.turn <= p.places as is_taken,
        case when d.turn <= p.places and g.run_ids <> g.by_rank
          then d.rank_at - (p.places - d.turn + 1) * interval '1 microsecond' else d.rank_at end as rank_at
      from places p, lateral (
        select array_agg(c.run_id order by c.turn_at, c.run_id) as run_ids,
          array_agg(c.rank_at order by c.rank_at) as ranks, array_agg(c.run_id order by c.rank_at, c.run_id) as by_rank
        from (
          select h.run_id, h.rank_at, h.turn_at from heads h
          where h.lane = p.lane and h.job_id = p.job_id and h.turn_at is not null
          union
          select n.run_id, n.rank_at, n.turn_at from nearest n where n.lane = p.lane and n.job_id = p.job_id
        ) c
      ) g, unnest(g.run_ids, g.ranks) with ordinality as d(run_id, rank_at, turn)
    ),
    taken as materialized (
      select lane, line, project_id, run_id, job_id, rank_at from heads where turn_at is null
      union all
      select lane, line, project_id, run_id, job_id, rank_at from dealt where is_taken
    )`;
}

/** Writes the ranks of those rows `d` of `dealt` that stay in the queue. */
export function writeRanks(staying: Sql): Sql {
  return sql`
    update run_queue q set rank_at = d.rank_at from dealt d
    where ${hasKeyOf("q", "d", "run_id")} and q.rank_at <> d.rank_at and (${staying})`;
}
