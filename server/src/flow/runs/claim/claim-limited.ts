import { randomUUID } from "node:crypto";
import { changesAppended } from "../../../platform/changelog/wake-readers.ts";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { groupBy } from "../../../platform/group-by.ts";
import { yieldToEventLoop } from "../../../platform/time-slices.ts";
import { type Admission, admitRuns, type Candidate } from "../../limits/admit-runs.ts";
import { unblockResumed } from "../../limits/block-job.ts";
import { type JobLimits, limitsOf, namedLimits, partialLimits, QUEUE_LIMITS } from "../../limits/job-limits.ts";
import { lockCounters, writeCounters } from "../../limits/lock-counters.ts";
import { unblockNext } from "../../limits/unblock-next.ts";
import { countTransitions } from "../count-transitions.ts";
import type { UncheckedRun } from "./claim-runs.ts";
import type { ClaimedRun } from "./claimed-run.ts";
import { wakeLanes } from "./lanes.ts";
import { leaseColumns, startLeased, type WorkerClaim } from "./lease-runs.ts";

/** A run that limits have refused this often, or for this long, may keep its slots in some while it waits for others. */
const MAX_REFUSALS = 16;
const MAX_REFUSED_SECS = 30;

type QueuedRun = JobLimits &
  Pick<Candidate, "run_id" | "rank" | "granted_by" | "refused_since" | "since"> & {
    host: string;
    rank_at: string;
    kept: string[] | null;
    is_starving: boolean;
    concurrency_key: string | null;
    payload: unknown;
    /** Which edit of the job these limits come from. */
    revision: number;
  };

/**
 * Claims runs whose jobs have limits. Locks their queue rows, then every counter they need, in order; only then
 * decides. A release locks the same counter, so it comes before the decision or after the blocking, never between: a
 * refused `update … where active < max` takes no lock, and a run blocked by it would never be unblocked.
 */
export async function claimLimited(
  ctx: Ctx,
  unchecked: readonly UncheckedRun[],
  worker?: WorkerClaim,
): Promise<ClaimedRun[]> {
  const claimed: ClaimedRun[] = [];
  const paused: { project_id: string; job_id: string }[] = [];
  for (const [project_id, runs] of groupBy(unchecked, (run) => run.project_id)) {
    const run_ids = runs.map((run) => run.run_id);
    const result = await inTransaction(ctx, (tx) => claimOfProject(tx, project_id, run_ids, worker));
    claimed.push(...result.claimed);
    paused.push(...result.paused.map(({ job_id }) => ({ project_id, job_id })));
  }
  await unblockResumed(ctx, paused);
  return claimed;
}

async function claimOfProject(
  tx: Ctx & InTransaction,
  project_id: string,
  run_ids: string[],
  worker: WorkerClaim | undefined,
) {
  const locked = await lockCandidates(tx, project_id, run_ids);
  // A worker gets no more than it has asked for; an instance has slots for all.
  const runs = worker ? locked.slice(0, run_ids.length) : locked;
  const candidates: Candidate[] = [];
  for (const run of runs) {
    await yieldToEventLoop();
    candidates.push(candidateOf(run));
  }
  const counters = await lockCounters(tx, project_id, runs);
  const admission = admitRuns(candidates, counters);
  // Pipelined, with the commit: triggers and releases of all instances wait for the counters.
  const writing = Promise.all([
    lease(tx, project_id, admission, worker),
    block(tx, project_id, runs, admission),
    writeCounters(tx, project_id, counters, admission.nextRoomMs),
    unblockNext(tx, project_id, admission.offered),
  ]);
  tx.commitNow();
  const [claimed] = await writing;
  wakeLanes(
    tx,
    admission.deferred.flatMap(({ behind }) => behind.lane ?? []),
  );
  countTransitions(
    tx,
    claimed.map(() => ({ from_status: "pending", to_status: "running" })),
  );
  return { claimed, paused: runs.filter((run) => run.is_paused) };
}

function candidateOf(run: QueuedRun): Candidate {
  const { run_id, rank, granted_by, refused_since, since, kept } = run;
  const refused = pauseOf(run);
  const keepable = run.is_starving ? partialLimits(run, run) : [];
  return { run_id, rank, granted_by, refused_since, since, kept: kept ?? [], keepable, refused, ...limitsOf(run, run) };
}

function pauseOf({ is_paused, is_queue_paused, job_id, queue }: QueuedRun): string | undefined {
  if (is_paused) return `paused_job:${job_id}`;
  return is_queue_paused ? `paused_queue:${queue}` : undefined;
}

/** So many rows of a lane are searched for runs that precede the given ones. */
const MAX_EARLIER = 200;

/**
 * In order of rank, as the decision is made. Locked rows are skipped: another claim has them. Includes claimable runs of
 * the same jobs that precede the last of these in their lanes: if the wake-up for a run is late or lost, because its
 * instance was killed, claims begin behind it until the next poll, and later runs would get its slots.
 */
async function lockCandidates(tx: Ctx & InTransaction, project_id: string, run_ids: string[]): Promise<QueuedRun[]> {
  const { rows } = await sql<QueuedRun>`
    /* prepared */
    with given as materialized (
      select host, rank_at, job_id from run_queue where project_id = ${project_id} and run_id = any(${run_ids}::uuid[])
    ),
    earlier as materialized (
      select e.run_id from (select host, max(rank_at) as last from given group by host) l, lateral (
        select q.run_id, q.job_id, q.rank_at from run_queue q
        where q.project_id = ${project_id} and q.host = l.host and q.lease_until is null and q.blocked_on is null
          and q.stopped is null and q.rank_at < l.last
        order by q.rank_at, q.run_id limit ${MAX_EARLIER}
      ) e
      where e.job_id in (select job_id from given) and e.run_id <> all(${run_ids}::uuid[])
      order by e.rank_at, e.run_id limit ${run_ids.length}
    ),
    locked as materialized (
      select run_id, job_id, host, concurrency_key, rank_at, run_at, granted_by, released_at, kept, refusals, refused_at from run_queue
      where project_id = ${project_id} and run_id = any(${run_ids}::uuid[] || array(select run_id from earlier))
        and lease_until is null and blocked_on is null and stopped is null
      order by run_id for update skip locked
    )
    select l.run_id, l.host, l.rank_at, (extract(epoch from l.rank_at) * 1000000)::float8 as rank, l.granted_by, l.kept,
      (extract(epoch from l.refused_at) * 1000000)::float8 as refused_since,
      (extract(epoch from greatest(l.run_at, l.released_at)) * 1000000)::float8 as since,
      l.refusals >= ${MAX_REFUSALS}::int or coalesce(l.refused_at <= clock() - ${MAX_REFUSED_SECS}::int * interval '1 second', false) as is_starving,
      l.concurrency_key, l.job_id, j.revision, j.paused_at is not null as is_paused, j.max_concurrency,
      j.max_concurrency_per_key, j.rate_limit_max, j.rate_limit_window_secs, j.rate_limit_keys, ${QUEUE_LIMITS},
      case when j.rate_limit_keys <> '[]' then
        (select r.payload from runs r where r.project_id = ${project_id} and r.id = l.run_id) end as payload
    from locked l join jobs j on j.project_id = ${project_id} and j.id = l.job_id
    left join queues k on k.project_id = j.project_id and k.name = j.queue and j.queue_needs_check
    order by l.rank_at, l.run_id`.execute(tx.db);
  return rows;
}

async function lease(
  tx: Ctx & InTransaction,
  project_id: string,
  { admitted }: Admission,
  worker: WorkerClaim | undefined,
): Promise<ClaimedRun[]> {
  if (admitted.length === 0) return [];
  const token = randomUUID();
  const run_ids = admitted.map(({ run_id }) => run_id);
  const { rows } = await sql<ClaimedRun>`
    /* prepared */
    with leased as (
      update run_queue q set ${leaseColumns(tx, token, worker, sql`q.run_id = ${run_ids[0] ?? null}::uuid`)},
        debounce_key = null, expires_at = null, granted_by = null, kept = null, limits = null, refusals = 0, refused_at = null, slots = a.slots
      from jsonb_to_recordset(${JSON.stringify(admitted)}::jsonb) as a(run_id uuid, slots text[])
      where q.project_id = ${project_id} and q.run_id = any(${run_ids}::uuid[]) and q.run_id = a.run_id
      returning q.project_id, q.run_id, q.host, q.deadline, q.slots
    ),
    ${startLeased(token)}
    select c.*, j.slug as job_slug
    from claimed c join jobs j on j.project_id = ${project_id} and j.id = c.job_id`.execute(tx.db);
  changesAppended(tx, "run");
  // In the order of the decision: they are dispatched in this order, and PostgreSQL returns them in any.
  const order = new Map(admitted.map(({ run_id }, index) => [run_id, index]));
  return rows.sort((a, b) => (order.get(a.run_id) ?? 0) - (order.get(b.run_id) ?? 0));
}

/**
 * Blocks refused runs, unless the job was edited since its limits were read or is being edited: those stay claimable,
 * and the next claim applies the new limits. The shared lock makes an edit wait, so that it sees and unblocks every run
 * blocked here. Skips a locked job instead of waiting: an edit locks counters, which this transaction holds. A resume
 * of the job unblocks by itself (`unblockResumed`); a change of the queue is an edit of all its jobs.
 */
async function block(
  tx: Ctx & InTransaction,
  project_id: string,
  runs: readonly QueuedRun[],
  { blocked }: Admission,
): Promise<void> {
  if (blocked.length === 0) return;
  const byRun = new Map(runs.map((run) => [run.run_id, run]));
  const wanted = blocked.map(({ run_id, reason, kept }) => {
    const run = byRun.get(run_id);
    const limits = run && run.rate_limit_keys.length > 0 ? namedLimits(run, run) : null;
    const { job_id, revision, is_paused } = run ?? {};
    const is_refused = run !== undefined && pauseOf(run) === undefined;
    const granted_by = kept[0] ?? null;
    return {
      run_id,
      reason,
      granted_by,
      kept: kept.length > 0 ? kept : null,
      limits,
      job_id,
      revision,
      is_paused,
      is_refused,
    };
  });
  await sql`
    with wanted as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb)
        as w(run_id uuid, reason text, granted_by text, kept text[], limits text[], job_id uuid, revision int, is_paused boolean, is_refused boolean)
    ),
    unchanged as materialized (
      select w.job_id from (select distinct job_id, revision from wanted where not is_paused) w, lateral (
        select 1 from jobs j where j.project_id = ${project_id} and j.id = w.job_id and j.revision = w.revision
        for share skip locked
      ) j
    )
    update run_queue q set blocked_on = w.reason, granted_by = w.granted_by, kept = w.kept, limits = w.limits,
      released_at = case when w.kept is not null then clock() else q.released_at end,
      refusals = q.refusals + w.is_refused::int, refused_at = coalesce(q.refused_at, case when w.is_refused then clock() end)
    from wanted w
    where q.project_id = ${project_id} and q.run_id = w.run_id
      and (w.is_paused or w.job_id in (select job_id from unchanged))`.execute(tx.db);
}
