import { visible } from "../../platform/access/policies/visibility.ts";
import { advanceBatch } from "../../platform/batches/advance-batch.ts";
import { type HeldBatch, lockBatch } from "../../platform/batches/claim-batch.ts";
import { workOnBatch } from "../../platform/batches/work-on-batch.ts";
import { appendStates } from "../../platform/changelog/append-changes.ts";
import { changesAppended } from "../../platform/changelog/wake-readers.ts";
import type { Ctx, InTransaction, ProjectCtx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { wake } from "../../platform/wakeups/wake.ts";
import { type DeliveryFilter, wanted } from "./queries.ts";
import { RETRY_BATCH } from "./start-retry.ts";

const PAGE = 200;

/** Processes one page of the retry that has waited longest. */
export function retryInBatches(ctx: Ctx): Promise<boolean> {
  return workOnBatch(ctx, { pages: { [RETRY_BATCH]: retryPage }, failure: "a page of retries failed" });
}

async function retryPage(ctx: ProjectCtx, batch: HeldBatch): Promise<void> {
  await inTransaction(ctx, (tx) => retryNext(tx, batch));
}

type Place = { created_at: string; id: string };

async function retryNext(tx: ProjectCtx & InTransaction, batch: HeldBatch): Promise<void> {
  const progress = await lockBatch(tx, batch);
  if (!progress) return;
  const page = await resetNext(tx, batch, progress.walk as Place | null);
  const last = page.at(-1);
  const items = page.map(({ id, is_reset }, index) => ({
    item_index: progress.processed + index,
    target_id: id,
    status: is_reset ? ("succeeded" as const) : ("skipped" as const),
  }));
  const walk = { cursor: last ? { created_at: last.created_at, id: last.id } : {}, is_over: page.length < PAGE };
  await advanceBatch(tx, { project_id: batch.project_id, batch_id: batch.id }, items, walk);
  tx.afterCommit(({ metrics }) => metrics.bulkItemsProcessed.inc(items.length));
  if (items.length > 0) wake(tx, "deliveries");
}

type Found = Place & { is_reset: boolean };

/**
 * Finds deliveries in creation order that had failed before the batch was created, so that repeated failures are not
 * retried forever. Skips those that were retried manually since.
 */
async function resetNext(tx: ProjectCtx & InTransaction, batch: HeldBatch, after: Place | null): Promise<Found[]> {
  const { project_id, created_at: ordered_at } = batch;
  const { filter } = batch.request as { filter: DeliveryFilter };
  const { rows } = await sql<Found>`
    with page as materialized (
      select d.created_at, d.id from webhook_deliveries d
      where d.project_id = ${project_id} and d.status = 'failed' and d.failed_at <= ${ordered_at}::timestamptz
        and ${visible(tx, "webhook_deliveries", "d")} ${wanted(tx, filter)}
        ${after === null ? sql`` : sql`and (d.created_at, d.id) > (${after.created_at}::timestamptz, ${after.id}::uuid)`}
      order by d.created_at, d.id limit ${PAGE}
    ),
    reset as (
      update webhook_deliveries d set prev_status = d.status, status = 'pending', attempts = 0,
        next_attempt_at = clock(), failed_at = null, updated_at = clock()
      where d.project_id = ${project_id} and d.id = any(array(select id from page)) and d.status = 'failed'
      returning d.project_id, d.id
    ),
    ${appendStates("webhook_delivery", sql`reset`)}
    select p.created_at, p.id, r.id is not null as is_reset from page p left join reset r on r.id = p.id
    order by p.created_at, p.id`.execute(tx.db);
  changesAppended(tx, "webhook_delivery");
  return rows;
}
