import { appendRunChanges, TRANSITION } from "../../../platform/changelog/append-changes.ts";
import { changesAppended } from "../../../platform/changelog/wake-readers.ts";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { hasKeyOf } from "../../../platform/database/has-key-of.ts";
import { sql } from "../../../platform/database/sql.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { groupBy } from "../../../platform/group-by.ts";
import { wakeNext } from "../../limits/unblock-next.ts";
import { countTransitions } from "../count-transitions.ts";
import { removeUntried } from "../dispatch/unreachable-hosts.ts";
import { unreachableLimit } from "../dispatch/unreachable-rules.ts";
import type { QueuedRun } from "../lock-runs.ts";
import { afterRunsEnded, type EndedRun, notifyEnded } from "../settle/after-runs-ended.ts";
import { enqueueEndEntries } from "../settle/end-runs.ts";

/** Per host, so that none waits for another. */
const PAGE = 200;

/** A host cannot be reached. */
export const HAS_UNREACHABLE_HOSTS = sql`exists (select c.project_id from circuits c where c.down_since is not null)`;

/** Fails runs that have waited longer than their `unreachable_timeout_secs` for an endpoint that cannot be reached. */
export async function failUnreachable(ctx: Ctx): Promise<boolean> {
  await postponeReached(ctx);
  await removeUntried(ctx);
  return (await inTransaction(ctx, failSome)) > 0;
}

/**
 * Runs whose time is not up after all: their host was reached since, or has responded for the first time; or they wait
 * for something else now, such as the end of a pause, which does not count.
 */
async function postponeReached(ctx: Ctx): Promise<void> {
  await sql`
    with due as materialized (
      select q.project_id, q.run_id, w.until from circuits c, lateral (
        select q.project_id, q.run_id, q.unreachable_since, q.blocked_on, q.stopped from run_queue q
        where q.project_id = c.project_id and q.host = c.host and q.unreachable_until <= clock() and q.lease_until is null
        order by q.unreachable_until limit ${PAGE} for update skip locked
      ) q,
      lateral (
        select case when q.stopped is null and coalesce(q.blocked_on = 'not_due' or starts_with(q.blocked_on, 'circuit:'), true)
            then greatest(q.unreachable_since, c.down_since)
              + ${unreachableLimit(sql`c.answered_at`, sql`v.unreachable_timeout_secs`)}
          else clock() + interval '1 minute' end as until
        from runs r join job_versions v on v.project_id = r.project_id and v.id = r.job_version_id
        where r.project_id = q.project_id and r.id = q.run_id offset 0
      ) w
      where c.down_since is not null
    )
    update run_queue q set unreachable_until = d.until
    from due d where q.project_id = d.project_id and q.run_id = d.run_id and d.until > clock()`.execute(ctx.db);
}

async function failSome(tx: Ctx & InTransaction): Promise<number> {
  const failed = await endUnreachable(tx);
  for (const [project_id, some] of groupBy(failed, (run) => run.project_id)) {
    await wakeNext(
      tx,
      some.map((queued) => ({ project_id, queued })),
    );
  }
  notifyEnded(tx, failed);
  afterRunsEnded(tx, failed);
  countTransitions(
    tx,
    failed.map(() => ({ from_status: "pending", to_status: "failed" })),
  );
  return failed.length;
}

async function endUnreachable(tx: Ctx & InTransaction): Promise<(QueuedRun & EndedRun)[]> {
  const { rows } = await sql<QueuedRun & EndedRun>`
    with due as materialized (
      select q.project_id, q.run_id, jsonb_build_object('code', 'endpoint_unreachable', 'message', ${messageOf()}) as error
      from circuits c, lateral (
        select q.project_id, q.run_id from run_queue q
        where q.project_id = c.project_id and q.host = c.host and q.unreachable_until <= clock() and q.lease_until is null
          and q.stopped is null and coalesce(q.blocked_on = 'not_due' or starts_with(q.blocked_on, 'circuit:'), true)
        order by q.unreachable_until limit ${PAGE} for update skip locked
      ) q
      where c.down_since is not null
    ),
    gone as (
      delete from run_queue q using due d where ${hasKeyOf("q", "d", "run_id")}
      returning q.project_id, q.run_id, q.host, q.rank_at, q.blocked_on, q.granted_by, q.kept, q.limits, d.error
    ),
    ended as (
      update runs r set prev_status = r.status, status = 'failed', transition_count = r.transition_count + 1, finished_at = clock(),
        dead_lettered_at = clock(), pause_requested = false, updated_at = clock(), error = g.error
      from gone g join job_versions v on v.project_id = g.project_id
      where r.project_id = g.project_id and r.id = g.run_id and r.status = 'pending' and v.id = r.job_version_id
      returning r.project_id, r.id as run_id, r.transition_count, r.attempt, r.error, r.finished_at, r.workflow_run_id, r.awaited_by,
        r.has_dependents, v.on_failure_job_id, r.job_id, r.concurrency_key, g.host, g.rank_at, g.blocked_on, g.granted_by,
        g.kept, g.limits
    ),
    logged as (
      insert into run_transitions (
        project_id, run_id, ordinal, from_status, to_status, cause, attempt, detail, created_at)
      select project_id, run_id, transition_count, 'pending', 'failed', 'unreachable', attempt,
        jsonb_build_object('error', error), finished_at from ended
      returning ${TRANSITION}
    ),
    ${appendRunChanges()},
    ${enqueueEndEntries({ isFailure: true })}
    select project_id, run_id, job_id, concurrency_key, host, rank_at, blocked_on, granted_by, kept, limits,
      false as is_leased, workflow_run_id,
      on_failure_job_id is not null or awaited_by is not null or has_dependents as has_outbox_entries
    from ended`.execute(tx.db);
  changesAppended(tx, "run");
  return rows;
}

/** The host's time is in UTC, as in the API. */
function messageOf() {
  return sql`'The endpoint ' || c.host || case when c.answered_at is null
      then ' has never responded. Check the address in the job''s endpoint_url, then replay the run.'
      else ' could not be reached since ' || to_char(c.down_since at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') || '.' end
    || coalesce(' Last error: ' || c.reason, '')`;
}
