import type { Ctx, InTransaction } from "../../platform/context.ts";
import { type Sql, sql } from "../../platform/database/sql.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import type { RemovedPage } from "../../platform/retention/retention-entry.ts";
import type { WaitKind } from "./event-keys.ts";
import { updateTriggerCounts } from "./trigger-changes.ts";

type PurgeRequest = {
  project_id: string;
  older_than_days: number;
  /** Only those of this environment. */
  environment_id?: string | null | undefined;
};

const PAGE = 1_000;

/**
 * Deletes the triggers of a project that ended at least this many days ago, a page in each transaction; `alongside` is
 * written with the last, and gets the total. Returns the total too.
 */
export async function purgeTriggers<C extends Ctx>(
  ctx: C,
  request: PurgeRequest,
  alongside: (tx: C & InTransaction, deleted: number) => Promise<void>,
): Promise<number> {
  const before = await readCutoff(ctx, request);
  for (let deleted = 0; ; ) {
    const deletedBefore = deleted;
    const page = await inTransaction(ctx, async (tx) => {
      const count = await deleteTriggers(tx, olderThan(request, before), PAGE);
      if (count < PAGE) await alongside(tx, deletedBefore + count);
      return count;
    });
    deleted += page;
    if (page < PAGE) return deleted;
  }
}

/** How many `purgeTriggers` would delete now. */
export async function countPurgeable(ctx: Ctx, request: PurgeRequest): Promise<number> {
  const before = await readCutoff(ctx, request);
  const { rows } = await sql<{ matched: number }>`
    select count(*)::int as matched from event_triggers t
    where t.project_id = ${request.project_id} and t.status <> 'waiting' and ${olderThan(request, before)}
      and ${isReleased()}`.execute(ctx.db);
  return rows[0]?.matched ?? 0;
}

/** Fixed at the beginning: triggers that end while pages are deleted are not included. */
async function readCutoff(ctx: Ctx, { older_than_days }: PurgeRequest): Promise<string> {
  const { rows } = await sql<{ before: string }>`
    select (clock() - ${older_than_days} * interval '24 hours')::timestamptz(3) as before`.execute(ctx.db);
  return rows[0]?.before ?? "";
}

function olderThan({ project_id, environment_id }: PurgeRequest, before: string): Sql {
  return sql`t.project_id = ${project_id} and t.finished_at <= ${before}::timestamptz
    ${environment_id == null ? sql`` : sql`and t.environment_id = ${environment_id}`}`;
}

type Deleted = { project_id: string; wait_kind: WaitKind; status: "received" | "timed_out" | "canceled" };

/**
 * Deletes a page of ended triggers, and adjusts the counts. Every attempt of a run gets its past waits, so these stay
 * as long as the run is active. `event_triggers t`: which ones.
 */
export async function deleteTriggers(tx: Ctx & InTransaction, which: Sql, max: number): Promise<number> {
  const { rows } = await sql<Deleted>`
    with old as materialized (
      select t.project_id, t.id from event_triggers t where t.status <> 'waiting' and ${which} and ${isReleased()}
      order by t.finished_at limit ${max} for update skip locked
    )
    delete from event_triggers t using old where t.project_id = old.project_id and t.id = old.id
    returning t.project_id, t.wait_kind, t.status`.execute(tx.db);
  await updateTriggerCounts(
    tx,
    rows.map(({ project_id, wait_kind, status }) => ({ project_id, wait_kind, from: status, to: null })),
  );
  return rows.length;
}

/** Of `event_triggers t`: no active run has waited on it. */
function isReleased(): Sql {
  return sql`not exists (
    select 1 from runs r where r.project_id = t.project_id and r.id = t.job_run_id and r.finished_at is null)`;
}

/** Deletes triggers that ended longer ago than EVENT_TRIGGER_RETENTION, and adjusts the counts with them. */
export async function removeOldTriggers(ctx: Ctx, page: number): Promise<RemovedPage> {
  const secs = ctx.config.event_trigger_retention_secs;
  const removed = await inTransaction(ctx, (tx) =>
    deleteTriggers(tx, sql`t.finished_at < clock() - ${secs} * interval '1 second'`, page),
  );
  return { removed, more: removed === page };
}
