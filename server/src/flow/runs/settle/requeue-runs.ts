import { appendRunChanges, TRANSITION } from "../../../platform/changelog/append-changes.ts";
import { changesAppended } from "../../../platform/changelog/wake-readers.ts";
import type { Ctx } from "../../../platform/context.ts";
import { fewRows } from "../../../platform/database/few-rows.ts";
import { hasKeyOf } from "../../../platform/database/has-key-of.ts";
import { isAmong } from "../../../platform/database/is-among.ts";
import { type Sql, sql } from "../../../platform/database/sql.ts";
import { type Lane, wakeLanes } from "../claim/lanes.ts";
import { countTransitions } from "../count-transitions.ts";
import type { LeasedRun } from "../dispatch/outcome.ts";
import { unreachableLimit } from "../dispatch/unreachable-rules.ts";
import { leadOf, nextTurns } from "../turns/next-turn.ts";
import { heldQueueRows } from "./end-runs.ts";
import type { Settlement } from "./plan-settle.ts";

export type Requeue = Extract<Settlement, { kind: "requeue" }> & {
  run: LeasedRun;
  is_expired: boolean;
  detail: object;
  unreachable_timeout_secs: number;
};

export type RequeuedRun = Lane & {
  run_id: string;
  job_id: string;
  to_status: string;
  is_claimable: boolean;
  is_job_paused: boolean;
};

/**
 * Queues runs for another attempt: the lease ends, the run is pending again, due after its delay. If a pause was
 * requested while it ran, it is paused now and leaves the queue; if its job is paused, it is blocked. Another attempt
 * costs again: under a blocking budget it is blocked until the cost of the last one is recorded and there is room for
 * this one. If its endpoint cannot be reached, it waits for the host's circuit if that is open, else for 1, 2, 4 … s: the
 * time since its first failure and a second more.
 */
export async function requeueRuns(ctx: Ctx, requeues: readonly Requeue[]): Promise<RequeuedRun[]> {
  const { rows } = await sql<RequeuedRun>`
    /* prepared */
    with given as materialized (
      select * from json_to_recordset(${jsonOf(requeues)}::json) as g(
        project_id uuid, run_id uuid, attempt int, lease_token uuid, is_expired boolean, cause text, delay_secs float8,
        error jsonb, detail jsonb, tries_used int, crash_count int, slots text[], unreachable_timeout_secs int)
      where ${fewRows("g.cause")}
    ),
    held as materialized (${heldQueueRows(sql`, g.cause, g.delay_secs, g.unreachable_timeout_secs`)}),
    unreached as materialized (${unreachedRuns()}),
    back as (
      update runs r set prev_status = r.status, transition_count = r.transition_count + 1,
        status = case when r.pause_requested then 'paused' else 'pending' end, pause_requested = false,
        tries_used = g.tries_used, crash_count = g.crash_count, error = g.error,
        scheduled_at = clock() + coalesce(u.delay_secs, g.delay_secs) * interval '1 second', updated_at = clock()
      from given g left join unreached u on u.run_id = g.run_id
      where r.project_id = g.project_id and r.id = g.run_id and ${isAmong("g.run_id", sql`select run_id from held`)}
        and r.status = 'running' and r.attempt = g.attempt
      returning r.project_id, r.id as run_id, r.job_id, r.transition_count, r.attempt, r.status, r.priority, r.scheduled_at,
        r.updated_at, r.concurrency_key, g.cause, g.detail, coalesce(u.delay_secs, g.delay_secs) > 0 as is_later,
        u.since as unreachable_since, u.until as unreachable_until, coalesce(u.is_open, false) as is_circuit_open,
        g.cause not in ('drained', 'unreachable') and exists (
          select 1 from project_budgets p where p.project_id = r.project_id and p.action = 'block') as is_budgeted
    ),
    logged as (
      insert into run_transitions (
        project_id, run_id, ordinal, from_status, to_status, cause, attempt, detail, created_at)
      select project_id, run_id, transition_count, 'running', status, case status when 'paused' then 'paused' else cause end,
        attempt, detail, updated_at from back
      returning ${TRANSITION}
    ),
    ${appendRunChanges()},
    paused as (
      delete from run_queue q using back b
      where ${IS_BACK} and b.status = 'paused'
      returning q.project_id, q.run_id, q.host, q.rank_at
    ),
    turns as materialized (
      select b.run_id, ${nextTurns("b", { takes: sql`(not b.is_later)`, due_at: sql`b.scheduled_at`, lead: LEAD, id: sql`b.run_id` })} as interleave_at
      from back b where b.status = 'pending' and b.concurrency_key is not null
    ),
    requeued as (
      update run_queue q set lease_until = null, lease_token = null, instance_id = null, worker_id = null, claim_id = null, accepted_at = null,
        deadline = null, slots = null, run_at = b.scheduled_at, unreachable_since = b.unreachable_since,
        unreachable_until = b.unreachable_until,
        rank_at = b.scheduled_at - ${LEAD},
        interleave_at = (select t.interleave_at from turns t where t.run_id = q.run_id),
        turn_at = (select t.interleave_at from turns t where t.run_id = q.run_id) - ${LEAD},
        blocked_on = case when b.is_budgeted then 'budget' when j.paused_at is not null then 'paused_job:' || b.job_id
          when b.is_circuit_open then 'circuit:' || q.host when b.is_later then 'not_due' end
      from back b, lateral (
        select j.paused_at from jobs j where j.project_id = b.project_id and j.id = b.job_id offset 0
      ) j
      where ${IS_BACK} and b.status = 'pending'
      returning q.project_id, q.run_id, q.job_id, q.host, q.rank_at, q.blocked_on, q.stopped
    )
    select project_id, run_id, job_id, host, rank_at, 'pending' as to_status, blocked_on is null and stopped is null as is_claimable,
      starts_with(blocked_on, 'paused_job:') as is_job_paused from requeued
    union all
    select project_id, run_id, null, host, rank_at, 'paused', false, false from paused`.execute(ctx.db);
  changesAppended(ctx, "run");
  wakeLanes(
    ctx,
    rows.filter((run) => run.is_claimable),
  );
  countTransitions(
    ctx,
    rows.map(({ to_status }) => ({ from_status: "running", to_status })),
  );
  return rows;
}

const LEAD = leadOf(sql`b.priority`);

const IS_BACK = hasKeyOf("q", "b", "run_id");

/**
 * For the runs whose endpoint could not be reached: since when, how long to wait, and when to give up. The lock of the
 * circuit keeps it from closing before this run is blocked on it.
 */
function unreachedRuns(): Sql {
  return sql`
    select w.run_id, w.since, w.since + ${unreachableLimit(sql`w.answered_at`, sql`w.unreachable_timeout_secs`)} as until,
      w.is_open, case when w.is_open then 0 else least(w.delay_secs, 1 + extract(epoch from clock() - w.since)::float8) end
        as delay_secs
    from (
      select s.run_id, s.unreachable_timeout_secs, s.delay_secs, c.answered_at, coalesce(c.status = 'open', false) as is_open,
        coalesce(greatest(s.unreachable_since, c.down_since), clock()::timestamptz(3)) as since
      from held s
      left join lateral (
        select c.status, c.answered_at, c.down_since from circuits c
        where c.project_id = s.project_id and c.host = s.host for key share
      ) c on true
      where s.cause = 'unreachable'
    ) w`;
}

function jsonOf(requeues: readonly Requeue[]): string {
  const rows = requeues
    .toSorted((a, b) => (a.run.run_id < b.run.run_id ? -1 : 1))
    .map(({ run, is_expired, cause, delay_secs, error, detail, tries_used, crash_count, unreachable_timeout_secs }) => {
      const { project_id, run_id, attempt, lease_token, slots } = run;
      const fence = { project_id, run_id, attempt, lease_token, slots, is_expired };
      return { ...fence, cause, delay_secs, error, detail, tries_used, crash_count, unreachable_timeout_secs };
    });
  return JSON.stringify(rows);
}
