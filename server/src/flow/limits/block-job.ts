import type { Ctx, InTransaction } from "../../platform/context.ts";
import { collectForCommit } from "../../platform/database/after-commit.ts";
import { sql } from "../../platform/database/sql.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { type Lane, wakeLanes } from "../runs/claim/lanes.ts";
import { queueLimitKeys } from "./job-limits.ts";
import { type Granted, UNBLOCKED, wakeNext } from "./unblock-next.ts";

type JobKey = { project_id: string; job_id: string };
type QueueKey = { project_id: string; queue: string };

const PAGE = 1_000;

/**
 * Blocks the queued runs of a paused job, a page at a time. Never waits for a lock: a row that is locked now is blocked
 * when it is next claimed. A run that waits for other runs or for the budget keeps that reason, and is blocked on the
 * pause afterwards.
 */
export async function blockJob(ctx: Ctx, { project_id, job_id }: JobKey): Promise<void> {
  await inPages((after) => inTransaction(ctx, (tx) => blockPage(tx, { project_id, job_id }, after)));
}

/**
 * The slots that its runs were granted go to other jobs of their queue. Updates by key, not by row position: a run that
 * was changed since this statement began has a new row version, which would stay claimable without its grant.
 */
async function blockPage(
  tx: Ctx & InTransaction,
  { project_id, job_id }: JobKey,
  after: string,
): Promise<string | undefined> {
  const reason = `paused_job:${job_id}`;
  const { rows } = await sql<{ last: string; leaving: Granted[] }>`
    with page as materialized (
      select run_id from run_queue
      where project_id = ${project_id} and run_id > ${after}::uuid order by run_id limit ${PAGE}
    ),
    free as materialized (
      select q.* from page p, jobs j, lateral (
        select q.run_id, q.job_id, q.concurrency_key, q.granted_by, q.kept, q.limits from run_queue q
        where q.project_id = ${project_id} and q.run_id = p.run_id and q.job_id = ${job_id}
          and q.lease_until is null and q.blocked_on is distinct from ${reason}
          and coalesce(q.blocked_on not in ('dependency', 'budget'), true)
        for update skip locked
      ) q
      where j.project_id = ${project_id} and j.id = ${job_id} and j.paused_at is not null
    ),
    blocked as (
      update run_queue q set blocked_on = ${reason}, granted_by = null, kept = null
      where q.project_id = ${project_id} and q.run_id = any(array(select run_id from free))
    )
    select p.run_id as last, coalesce((
      select jsonb_agg(to_jsonb(f) - 'run_id') from free f where f.granted_by is not null), '[]') as leaving
    from page p order by p.run_id desc limit 1`.execute(tx.db);
  const [row] = rows;
  await wakeNext(
    tx,
    (row?.leaving ?? []).map((queued) => ({ project_id, queued })),
  );
  return row?.last;
}

/**
 * Unblocks the runs of a resumed job: they are queued again at their old position, or wait for their start time again.
 */
export function unblockJob(ctx: Ctx, { project_id, job_id }: JobKey): Promise<void> {
  return unblockAll(ctx, project_id, `paused_job:${job_id}`);
}

/**
 * After the commit that blocked runs on the pause of their jobs: unblocks those whose job was resumed meanwhile. A
 * later resume sees them itself.
 */
export async function unblockResumed(ctx: Ctx, blocked: readonly JobKey[]): Promise<void> {
  if (blocked.length === 0) return;
  const { rows } = await sql<JobKey>`
    /* prepared */
    select distinct p.project_id, p.job_id
    from unnest(${blocked.map((run) => run.project_id)}::uuid[], ${blocked.map((run) => run.job_id)}::uuid[]) as p(project_id, job_id)
    cross join lateral (
      select 1 from jobs j where j.project_id = p.project_id and j.id = p.job_id and j.paused_at is null offset 0
    ) j`.execute(ctx.db);
  for (const job of rows) await unblockJob(ctx, job);
}

/** The same after the caller's commit. Not awaited: if it fails, the reconciliation of the queue finds them. */
export const unblockResumedSoon = collectForCommit<JobKey>((ctx, blocked) => {
  void unblockResumed(ctx, blocked).catch(() => {});
});

/** A change of a limit unblocks this many in its transaction, which holds the row of the job, and more after it. */
const MAX_IN_TRANSACTION = 10_000;

/**
 * In the transaction that has changed a limit: unblocks the runs that are blocked on a limit of the job, to try again.
 * The caller has locked the job's row, as does every transaction that blocks a run on a limit: none is blocked on the
 * old limit afterwards. True: there are more, call `unblockMoreLimits` after the commit.
 */
export async function unblockLimits(tx: Ctx & InTransaction, job: JobKey): Promise<boolean> {
  return unblockSome(tx, job.project_id, await listLimits(tx, job));
}

export async function unblockMoreLimits(ctx: Ctx, job: JobKey): Promise<void> {
  for (const reason of await listLimits(ctx, job)) await unblockAll(ctx, job.project_id, reason);
}

/** The same for the limits and the pause of a queue, whose jobs the caller has changed. */
export function unblockQueue(tx: Ctx & InTransaction, { project_id, queue }: QueueKey): Promise<boolean> {
  return unblockSome(tx, project_id, queueReasons(queue));
}

export async function unblockMoreOfQueue(ctx: Ctx, { project_id, queue }: QueueKey): Promise<void> {
  for (const reason of queueReasons(queue)) await unblockAll(ctx, project_id, reason);
}

function queueReasons(queue: string): string[] {
  return [...queueLimitKeys(queue), `paused_queue:${queue}`];
}

async function unblockSome(tx: Ctx & InTransaction, project_id: string, reasons: string[]): Promise<boolean> {
  let unblocked = 0;
  for (const reason of reasons) {
    for await (const page of unblockedPages(tx, project_id, reason)) {
      wakeLanes(tx, page);
      unblocked += page.length;
      if (unblocked >= MAX_IN_TRANSACTION) return true;
    }
  }
  return false;
}

/** The limits of the job on which runs are blocked. */
async function listLimits(ctx: Ctx, { project_id, job_id }: JobKey): Promise<string[]> {
  const { rows } = await sql<{ blocked_on: string }>`
    with recursive reasons as (
      (select blocked_on from run_queue
       where project_id = ${project_id} and blocked_on is not null and blocked_on <> 'not_due'
       order by blocked_on limit 1)
      union all
      select (select q.blocked_on from run_queue q
        where q.project_id = ${project_id} and q.blocked_on is not null and q.blocked_on <> 'not_due'
          and q.blocked_on > reasons.blocked_on order by q.blocked_on limit 1)
      from reasons where reasons.blocked_on is not null
    )
    select blocked_on from reasons
    where blocked_on = ${`job:${job_id}`} or starts_with(blocked_on, ${`key:${job_id}:`})
      or starts_with(blocked_on, ${`rate:${job_id}:`})`.execute(ctx.db);
  return rows.map((row) => row.blocked_on);
}

async function unblockAll(ctx: Ctx, project_id: string, reason: string): Promise<void> {
  for await (const page of unblockedPages(ctx, project_id, reason)) wakeLanes(ctx, page);
}

async function* unblockedPages(ctx: Ctx, project_id: string, reason: string): AsyncGenerator<Lane[]> {
  for (;;) {
    const lanes = await unblockPage(ctx, project_id, reason);
    yield lanes;
    if (lanes.length < PAGE) return;
  }
}

/** Skips locked rows: the transaction that holds one tries its unblock again. */
async function unblockPage(ctx: Ctx, project_id: string, reason: string): Promise<Lane[]> {
  const { rows } = await sql<Lane>`
    with page as materialized (
      select run_id from run_queue
      where project_id = ${project_id} and blocked_on = ${reason} and blocked_on is not null and blocked_on <> 'not_due'
      order by rank_at, run_id limit ${PAGE} for update skip locked
    )
    update run_queue q set ${UNBLOCKED}, kept = null
    where q.project_id = ${project_id} and q.run_id = any(array(select run_id from page))
    returning q.project_id, q.host, q.rank_at`.execute(ctx.db);
  return rows;
}

async function inPages(takePage: (after: string) => Promise<string | undefined>): Promise<void> {
  let after: string | undefined = "00000000-0000-0000-0000-000000000000";
  while (after !== undefined) after = await takePage(after);
}
