import { advanceBatch, type BatchItem } from "../../platform/batches/advance-batch.ts";
import { creatorOf, type HeldBatch, lockBatch } from "../../platform/batches/claim-batch.ts";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { ApiError, notFound } from "../../platform/errors/errors.ts";
import { newId } from "../../platform/ids.ts";
import { listLiveRuns } from "./overlapping-runs.ts";
import { SCHEDULE_COLUMNS, type ScheduleRow } from "./schedule-rows.ts";
import { retryWhileStale, startScheduledRun } from "./start-scheduled-run.ts";

/** What the batch iterates over, resolved when the batch was created. */
export type BackfillPlan = { schedule_id: string; fires: string[] };

/** `later`: a run of the schedule has not ended, and its overlap policy allows no other. */
export type Backfilled = "fired" | "later" | "over";

/**
 * Makes the next fire of a backfill: the record of the fire, its run and the item of the batch commit together. A time
 * that has a run is skipped, so that no time ever gets a second one. A refused run fails its item alone.
 */
export async function backfillNextFire(ctx: Ctx, batch: HeldBatch): Promise<Backfilled> {
  return retryWhileStale(() => inTransaction(ctx, (tx) => fireNext(tx, batch))).catch((error) => {
    if (!(error instanceof ApiError) || error.code === "service_unavailable") throw error;
    return inTransaction(ctx, (tx) => failNext(tx, batch, error));
  });
}

type NextFire = { scheduled_for: string; item_index: number };

async function lockNext(tx: Ctx & InTransaction, batch: HeldBatch): Promise<NextFire | undefined> {
  const progress = await lockBatch(tx, batch);
  const { fires }: BackfillPlan = batch.plan;
  const scheduled_for = progress && fires[progress.processed];
  return scheduled_for === undefined ? undefined : { scheduled_for, item_index: progress?.processed ?? 0 };
}

async function fireNext(tx: Ctx & InTransaction, batch: HeldBatch): Promise<Backfilled> {
  const next = await lockNext(tx, batch);
  if (!next) return "over";
  const schedule = await lockForFire(tx, batch);
  if (schedule.overlap_policy !== "allow" && (await listLiveRuns(tx, schedule)).length > 0) return "later";
  const run_id = newId();
  const owner = await takeFire(tx, batch, next.scheduled_for, run_id);
  if (owner !== run_id) {
    await recordItem(tx, batch, next, { target_id: owner, status: "skipped" });
    return "fired";
  }
  const start = { run_id, by: creatorOf(batch), scheduled_at: next.scheduled_for, batch_id: batch.id };
  await startScheduledRun(tx, schedule, start);
  await recordItem(tx, batch, next, { target_id: run_id, status: "succeeded" });
  return "fired";
}

async function failNext(tx: Ctx & InTransaction, batch: HeldBatch, { code, message }: ApiError): Promise<Backfilled> {
  const next = await lockNext(tx, batch);
  if (!next) return "over";
  await recordItem(tx, batch, next, { target_id: null, status: "failed", error: message, error_code: code });
  return "fired";
}

async function recordItem(
  tx: Ctx & InTransaction,
  { project_id, id: batch_id }: HeldBatch,
  { scheduled_for, item_index }: NextFire,
  item: Omit<BatchItem, "item_index" | "detail">,
): Promise<void> {
  await advanceBatch(tx, { project_id, batch_id }, [{ ...item, item_index, detail: { scheduled_for } }]);
}

/** The schedule's own fires wait for this lock, and then see the run. A paused schedule can be backfilled. */
async function lockForFire(tx: Ctx & InTransaction, { project_id, plan }: HeldBatch): Promise<ScheduleRow> {
  const { schedule_id }: BackfillPlan = plan;
  const { rows } = await sql<ScheduleRow>`
    select ${SCHEDULE_COLUMNS} from schedules s
    where s.project_id = ${project_id} and s.id = ${schedule_id} for update`.execute(tx.db);
  const [schedule] = rows;
  if (!schedule) throw notFound("schedule");
  return schedule;
}

/** Returns the run of the time: ours, or the one that has it. A time that was skipped or refused has none. */
async function takeFire(
  tx: Ctx & InTransaction,
  { project_id, id: batch_id, plan }: HeldBatch,
  scheduled_for: string,
  run_id: string,
): Promise<string | null> {
  const { schedule_id }: BackfillPlan = plan;
  const { rows } = await sql<{ run_id: string }>`
    with taken as (
      insert into schedule_fires as f (project_id, schedule_id, scheduled_for, outcome, run_id, reason, created_at)
      values (${project_id}, ${schedule_id}, ${scheduled_for}::timestamptz, 'fired', ${run_id},
        ${`backfilled by ${batch_id}`}, clock())
      on conflict (project_id, schedule_id, scheduled_for) do update
      set outcome = excluded.outcome, run_id = excluded.run_id, reason = excluded.reason, created_at = excluded.created_at
      where f.run_id is null
      returning f.run_id
    )
    select run_id from taken
    union all
    select f.run_id from schedule_fires f
    where f.project_id = ${project_id} and f.schedule_id = ${schedule_id}
      and f.scheduled_for = ${scheduled_for}::timestamptz and not exists (select 1 from taken)`.execute(tx.db);
  return rows[0]?.run_id ?? null;
}
