import { appendRunChanges, TRANSITION } from "../../../platform/changelog/append-changes.ts";
import { changesAppended } from "../../../platform/changelog/wake-readers.ts";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { hasKeyOf } from "../../../platform/database/has-key-of.ts";
import { type Sql, sql } from "../../../platform/database/sql.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { wakeNext } from "../../limits/unblock-next.ts";
import { countTransitions } from "../count-transitions.ts";
import type { QueuedRun } from "../lock-runs.ts";
import { afterRunsEnded, type EndedRun, notifyEnded } from "../settle/after-runs-ended.ts";
import { enqueueEndEntries } from "../settle/end-runs.ts";
import { type DueRows, hasDue, processDue } from "./process-due-rows.ts";

const PAGE = 500;
const EXPIRING: DueRows = {
  name: "expire-runs",
  rows: sql`run_queue t where t.expires_at is not null and t.lease_until is null and t.stopped is null`,
  at: sql`t.expires_at`,
};

/** An SQL condition: some run was not started within its `run_ttl_secs`. */
export const HAS_EXPIRED_RUNS = hasDue(EXPIRING);

/** Cancels runs that were not started within their job's `run_ttl_secs`. */
export function expireRuns(ctx: Ctx): Promise<boolean> {
  return processDue(ctx, EXPIRING, PAGE, (ofProject, max) => expirePage(ctx, ofProject, max));
}

function expirePage(ctx: Ctx, ofProject: Sql, max: number): Promise<number> {
  return inTransaction(ctx, (tx) => expireSome(tx, ofProject, max));
}

type Expired = QueuedRun & EndedRun;

async function expireSome(tx: Ctx & InTransaction, ofProject: Sql, max: number): Promise<number> {
  const ended = await endExpired(tx, ofProject, max);
  for (const project_id of new Set(ended.map((run) => run.project_id))) {
    const ofProject = ended.filter((run) => run.project_id === project_id);
    const leaving = ofProject.map((queued) => ({ project_id, queued }));
    await wakeNext(tx, leaving);
  }
  notifyEnded(tx, ended);
  afterRunsEnded(tx, ended);
  countTransitions(
    tx,
    ended.map(() => ({ from_status: "pending", to_status: "canceled" })),
  );
  return ended.length;
}

async function endExpired(tx: Ctx & InTransaction, ofProject: Sql, max: number): Promise<Expired[]> {
  const { rows } = await sql<Expired>`
    with expired as materialized (
      select project_id, run_id from run_queue
      where expires_at is not null and lease_until is null and stopped is null and expires_at <= clock() ${ofProject}
      order by expires_at limit ${max} for update skip locked
    ),
    gone as (
      delete from run_queue q using expired e where ${hasKeyOf("q", "e", "run_id")}
      returning q.project_id, q.run_id, q.job_id, q.concurrency_key, q.host, q.rank_at, q.blocked_on, q.granted_by, q.kept, q.limits
    ),
    ended as (
      update runs r set prev_status = r.status, status = 'canceled', transition_count = r.transition_count + 1, finished_at = clock(),
        error = jsonb_build_object('code', 'expired', 'message', 'The run was not started within its job''s run_ttl_secs.'),
        updated_at = clock()
      from gone g where r.project_id = g.project_id and r.id = g.run_id and r.status = 'pending'
      returning r.project_id, r.id as run_id, r.transition_count, r.attempt, r.finished_at,
        r.workflow_run_id, r.awaited_by, r.has_dependents, r.job_id, r.concurrency_key, g.host, g.rank_at, g.blocked_on,
        g.granted_by, g.kept, g.limits
    ),
    logged as (
      insert into run_transitions (project_id, run_id, ordinal, from_status, to_status, cause, attempt, created_at)
      select project_id, run_id, transition_count, 'pending', 'canceled', 'expired', attempt, finished_at from ended
      returning ${TRANSITION}
    ),
    ${appendRunChanges()},
    ${enqueueEndEntries({ isFailure: false })}
    select project_id, run_id, job_id, concurrency_key, host, rank_at, blocked_on, granted_by, kept, limits, false as is_leased,
      workflow_run_id,
      awaited_by is not null or has_dependents as has_outbox_entries
    from ended`.execute(tx.db);
  changesAppended(tx, "run");
  return rows;
}
