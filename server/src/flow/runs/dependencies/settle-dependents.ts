import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { unblockResumed } from "../../limits/block-job.ts";
import { type Lane, wakeLanes } from "../claim/lanes.ts";
import { lockRuns, type RunKey } from "../lock-runs.ts";
import { hasEnded, type RunStatus } from "../states.ts";
import { cancelRun } from "../stop/cancel-runs.ts";
import { leadOf, nextTurn } from "../turns/next-turn.ts";
import { dependencyFailed, isSatisfied } from "./link-dependencies.ts";

type OpenLink = { run_id: string; condition: "completed" | "ended"; status: RunStatus | null };

const PAGE = 200;
const MAX_PAGES = 5;
const CONCURRENCY = 4; // of the ten connections of an instance

/** `isDone`: no run depends on it anymore. */
type SettledDependents = { settled: number; isDone: boolean };

/**
 * A run has ended: its dependents are queued, or canceled if they can never start. Each page in transactions of its
 * own, guarded by the open links: idempotent, also when run concurrently. Bounded, so that other outbox entries are not
 * delayed.
 */
export async function settleDependents(ctx: Ctx, ended: RunKey): Promise<SettledDependents> {
  let settled = 0;
  for (let page = 0; page < MAX_PAGES; page++) {
    const links = await listOpen(ctx, ended);
    const status = links[0]?.status ?? GONE;
    if (links.length === 0 || !hasEnded(status)) return { settled, isDone: true };
    const going = links.filter(({ condition }) => isSatisfied(condition, status));
    await releaseDependents(ctx, ended, going.map(runIdOf), status);
    await cancelAll(ctx, ended, links.filter((link) => !going.includes(link)).map(runIdOf), status);
    settled += links.length;
    if (links.length < PAGE) return { settled, isDone: true };
  }
  return { settled, isDone: false };
}

/** Does at once for a new run what the outbox would do: some of its dependencies may have ended before. */
export async function settleNewDependent(ctx: Ctx, { project_id, run_id }: RunKey): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    select r.id from run_dependencies d, lateral (
      select r.id from runs r
      where r.project_id = d.project_id and r.id = d.depends_on_run_id and r.finished_at is not null offset 0
    ) r
    where d.project_id = ${project_id} and d.run_id = ${run_id} and d.ended_as is null`.execute(ctx.db);
  for (const { id } of rows) await settleDependents(ctx, { project_id, run_id: id });
}

/** A dependency that was removed before its end was seen satisfies no dependent. */
const GONE: RunStatus = "canceled";

function runIdOf({ run_id }: OpenLink): string {
  return run_id;
}

async function listOpen(ctx: Ctx, { project_id, run_id }: RunKey): Promise<OpenLink[]> {
  const { rows } = await sql<OpenLink>`
    select d.run_id, d.condition, (
      select r.status from runs r where r.project_id = d.project_id and r.id = d.depends_on_run_id) as status
    from run_dependencies d
    where d.project_id = ${project_id} and d.depends_on_run_id = ${run_id} and d.settled_at is null
    order by d.run_id limit ${PAGE}`.execute(ctx.db);
  return rows;
}

/**
 * Cancels the runs before it closes their links, so that after a crash in between they are found again. When they end,
 * their own dependents are canceled in turn.
 */
async function cancelAll(ctx: Ctx, ended: RunKey, run_ids: string[], status: RunStatus): Promise<void> {
  const left = [...run_ids];
  const cancelNext = async () => {
    for (let run_id = left.pop(); run_id !== undefined; run_id = left.pop())
      await cancelOne(ctx, ended, run_id, status);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, cancelNext));
  await closeLinks(ctx, ended, run_ids, status);
}

async function cancelOne(ctx: Ctx, ended: RunKey, run_id: string, status: RunStatus): Promise<void> {
  const { code: cause, message: reason } = dependencyFailed(ended.run_id, status);
  const by = { id: null, name: `run:${ended.run_id}` };
  await cancelRun(ctx, { project_id: ended.project_id, run_id, cause, reason, by });
}

type Released = Lane & { job_id: string; blocked_on: string | null };

/** After these retries, a run whose queue row is missing is released without one. */
const MAX_ROUNDS = 5;

/**
 * Closes one open link of each run, under the run's locks; the last one queues it, once. Its queue position is now: it
 * became due when its last dependency ended.
 */
async function releaseDependents(ctx: Ctx, ended: RunKey, run_ids: string[], status: RunStatus): Promise<void> {
  if (run_ids.length === 0) return;
  for (let round = 1; ; round++) {
    const released = await inTransaction(ctx, async (tx) => {
      const { isOutdated } = await lockRuns(tx, ended.project_id, run_ids);
      if (isOutdated && round < MAX_ROUNDS) return undefined;
      return releaseLocked(tx, ended, run_ids, status);
    });
    if (!released) continue;
    await unblockResumed(
      ctx,
      released.filter((row) => row.blocked_on?.startsWith("paused_job:")),
    );
    return;
  }
}

const TAKES_TURN = sql`q.concurrency_key is not null and q.run_at <= clock()`;
const LEAD = leadOf(sql`(select c.priority from counted c where c.id = q.run_id)`);
const TURN = nextTurn("q", { due_at: sql`clock()`, lead: LEAD });

/**
 * Under the locks of the dependent runs. `is true`: by its key, not among a million that are blocked for the same
 * reason.
 */
export async function releaseLocked(tx: Ctx & InTransaction, ended: RunKey, run_ids: string[], status: RunStatus) {
  const { project_id, run_id } = ended;
  const { rows } = await sql<Released>`
    with closed as (
      update run_dependencies d set ended_as = ${status}, settled_at = clock()
      where d.project_id = ${project_id} and d.depends_on_run_id = ${run_id} and d.run_id = any(${run_ids}::uuid[])
        and d.settled_at is null
      returning d.run_id
    ),
    counted as (
      update runs r set open_dependencies = r.open_dependencies - 1, updated_at = clock()
      where r.project_id = ${project_id} and r.id = any(array(select c.run_id from closed c)) and r.open_dependencies > 0
      returning r.id, r.priority, r.open_dependencies
    )
    update run_queue q set released_at = clock(),
      blocked_on = case
        when exists (select 1 from jobs j
          where j.project_id = q.project_id and j.id = q.job_id and j.paused_at is not null offset 0)
        then 'paused_job:' || q.job_id when q.run_at > clock() then 'not_due' end,
      rank_at = greatest(q.run_at, clock()) - ${LEAD},
      interleave_at = case when ${TAKES_TURN} then ${TURN} end,
      turn_at = case when ${TAKES_TURN} then ${TURN} - ${LEAD} end
    where q.project_id = ${project_id} and q.run_id = any(array(select c.id from counted c where c.open_dependencies = 0))
      and (q.blocked_on = 'dependency') is true
    returning q.project_id, q.host, q.rank_at, q.job_id, q.blocked_on`.execute(tx.db);
  wakeLanes(
    tx,
    rows.filter((row) => row.blocked_on === null),
  );
  return rows;
}

/** Links of ended runs: closing them releases nothing. */
export async function closeLinks(ctx: Ctx, ended: RunKey, run_ids: string[], status: RunStatus): Promise<void> {
  if (run_ids.length === 0) return;
  await sql`
    update run_dependencies set ended_as = ${status}, settled_at = clock()
    where project_id = ${ended.project_id} and depends_on_run_id = ${ended.run_id} and run_id = any(${run_ids}::uuid[])
      and settled_at is null`.execute(ctx.db);
}
