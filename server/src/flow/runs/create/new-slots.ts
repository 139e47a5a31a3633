import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { violates } from "../../../platform/database/database-errors.ts";
import { type Sql, sql } from "../../../platform/database/sql.ts";
import { jobSlotKey } from "../../limits/job-limits.ts";
import type { NewRun, Starts } from "./new-run.ts";

/** The slots that new runs of one job need of its `max_concurrency`, if they are to be created running. */
export type NewSlots = {
  project_id: string;
  job_id: string;
  job_revision: number;
  host: string;
  key: string;
  max: number;
  count: number;
  /** One of the runs. Those of one job and revision are created together or not at all. */
  run_id: string;
};

/** How long a trigger waits for a counter before its runs queue instead. */
const LOCK_WITHIN_MS = "100";

/** Grouped by job and revision: runs that were prepared from an older revision are not created. */
export function newSlotsOf(newRuns: readonly NewRun[], { ids }: Pick<Starts, "ids">): NewSlots[] {
  const needed = new Map<string, NewSlots>();
  for (const run of newRuns) {
    const { project_id, job_id, job_revision, host, sole_max_concurrency: max } = run;
    if (max === null || !ids.has(run.id)) continue;
    const name = `${job_id} ${job_revision}`;
    const known = needed.get(name);
    if (known) known.count++;
    else
      needed.set(name, {
        project_id,
        job_id,
        job_revision,
        host,
        key: jobSlotKey(job_id),
        max,
        count: 1,
        run_id: run.id,
      });
  }
  return [...needed.values()];
}

/**
 * Locks the counters, created if new, in order of their keys. A run that another transaction blocks on the limit under
 * this lock is seen by the next statement, which has a newer snapshot.
 */
export async function lockNewSlots(tx: Ctx & InTransaction, needed: readonly NewSlots[]): Promise<void> {
  const counters = [...new Map(needed.map((slots) => [slots.key, slots])).values()];
  await sql`
    /* prepared */
    insert into concurrency_counters as c (project_id, key)
    select g.project_id, g.key
    from unnest(${counters.map((each) => each.project_id)}::uuid[], ${counters.map((each) => each.key)}::text[]) as g(project_id, key)
    where (select set_config('lock_timeout', ${LOCK_WITHIN_MS}, true)) is not null
    order by g.project_id, g.key
    on conflict (project_id, key) do update set active = c.active`.execute(tx.db);
}

/**
 * Takes the slots of runs created by an earlier statement of the transaction, whose counters the caller has locked, or
 * fails (`isWithoutSlots`): the counter would be negative.
 */
export async function takeSlotsOfCreated(tx: Ctx & InTransaction, needed: readonly NewSlots[]): Promise<void> {
  await sql`
    /* prepared */
    with needed as materialized (${listOf(needed)}),
    created as materialized (
      select n.* from needed n, lateral (
        select 1 from run_queue q where q.project_id = n.project_id and q.run_id = n.run_id offset 0
      ) q
    )
    update concurrency_counters c
    set active = case when ${CAN_TAKE} then c.active + n.count else -1 end
    from created n where c.project_id = n.project_id and c.key = n.key`.execute(tx.db);
}

/** A transaction found no slots for the runs that it had created as running. */
export function isWithoutSlots(error: unknown): boolean {
  return violates(error, "concurrency_counters_active_check");
}

/**
 * Parts of the statement that creates runs: which of the chosen ones start. All, but those of a limited job only with
 * its slots, unless the caller takes these later.
 */
export function slotsOf(newRuns: readonly NewRun[], starts: Starts) {
  const needed = newSlotsOf(newRuns, starts);
  const none = sql`null::text`;
  if (needed.length === 0)
    return { taken: sql``, join: sql``, is_started: sql`b.is_chosen`, slots: sql`null::text[]`, full: none };
  const given = sql`needed as materialized (${listOf(needed)}),`;
  const join = sql`
    left join needed n on n.project_id = b.project_id and n.job_id = b.job_id and n.job_revision = b.job_revision and b.is_chosen`;
  if (starts.slots === "later") {
    const slots = sql`case when n.job_id is not null then array[n.key] end`;
    return { taken: given, join, is_started: sql`b.is_chosen`, slots, full: none };
  }
  const isLocked = starts.slots === "locked";
  return {
    taken: sql`${given} ${takeSlots()} ${isLocked ? findFullJobs() : sql``}`,
    join: sql`${join}
      left join taken t on t.project_id = n.project_id and t.job_id = n.job_id
      ${isLocked ? sql`left join full_jobs f on f.project_id = n.project_id and f.job_id = n.job_id and f.job_revision = n.job_revision and t.job_id is null` : sql``}`,
    is_started: sql`(b.is_chosen and (n.job_id is null or t.job_id is not null))`,
    slots: sql`case when t.job_id is not null then array[t.key] end`,
    full: isLocked ? sql`f.key` : none,
  };
}

function listOf(needed: readonly NewSlots[]): Sql {
  return sql`
    select * from json_to_recordset(${JSON.stringify(needed)}::json) as n(
      project_id uuid, job_id uuid, job_revision int, host text, key text, max int, count int, run_id uuid)`;
}

/**
 * All slots that `n` needs are free, and no run waits for the limit, was released for it, or is queued in the lane and
 * has not requested it yet: the claim decides between those (`admit-runs.ts`). Each is looked up by its index: as
 * `not exists` it would become a join.
 */
const CAN_TAKE = sql`
  c.active + n.count <= n.max
  and (select true from run_queue q where q.project_id = n.project_id and q.blocked_on = n.key
    and q.blocked_on is not null and q.blocked_on <> 'not_due' order by q.rank_at, q.run_id limit 1) is null
  and (select true from run_queue q where q.project_id = n.project_id and q.job_id = n.job_id
    and q.granted_by is not null order by q.rank_at, q.run_id limit 1) is null
  and (select true from run_queue q where q.project_id = n.project_id and q.host = n.host
    and q.lease_until is null and q.blocked_on is null and q.stopped is null
    order by q.rank_at, q.run_id limit 1) is null`;

/**
 * A part of the statement that creates runs: takes all slots or none for each job in `batches`, which means that the
 * job has not changed.
 */
function takeSlots(): Sql {
  return sql`
    taken as (
      update concurrency_counters c set active = c.active + n.count
      from needed n
      where c.project_id = n.project_id and c.key = n.key and ${CAN_TAKE}
        and (n.job_id, n.job_revision) in (select b.job_id, b.job_revision from batches b)
      returning c.project_id, n.job_id, c.key
    ),`;
}

/**
 * A part of the same statement: the jobs whose slots are all taken or granted. Their new runs are created blocked on
 * the limit, so that they are waiters from their commit on: if a claim had to refuse them first, a slot released before
 * it would go to a run of worse rank. Only while the counters are locked: then a release has either been
 * counted already or will see these runs. As in a claim, they stay claimable while the job is being edited.
 */
function findFullJobs(): Sql {
  return sql`
    full_counters as materialized (
      select n.project_id, n.job_id, n.job_revision, n.key from needed n, lateral (
        select 1 from concurrency_counters c
        where c.project_id = n.project_id and c.key = n.key and c.active + (
          select count(*) from (
            select 1 from run_queue q where q.project_id = n.project_id and q.job_id = n.job_id
              and q.granted_by is not null and q.granted_by = n.key limit n.max
          ) granted
        ) >= n.max offset 0
      ) c
    ),
    full_jobs as materialized (
      select n.project_id, n.job_id, n.job_revision, n.key from full_counters n, lateral (
        select 1 from jobs j where j.project_id = n.project_id and j.id = n.job_id and j.revision = n.job_revision
        for share skip locked
      ) j
    ),`;
}
