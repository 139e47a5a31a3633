import type { BulkTriggerResult, TriggerItem } from "@millrace/contract/events/triggers";
import { overBudget } from "../../../flow/budget/reserve-budget.ts";
import type { NewRun, TriggerResult } from "../../../flow/runs/create/new-run.ts";
import { triggerWithin } from "../../../flow/runs/create/trigger-runs.ts";
import type { TriggerableJob } from "../../../flow/runs/create/triggerable-job.ts";
import { advanceBatch } from "../../../platform/batches/advance-batch.ts";
import { trackBatch } from "../../../platform/batches/track-batch.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { ApiError, notFound } from "../../../platform/errors/errors.ts";
import { newId } from "../../../platform/ids.ts";
import { yieldToEventLoop } from "../../../platform/time-slices.ts";
import { findStartable, idempotencyConflict, mayStart } from "../../../platform/triggers/submit-trigger.ts";
import { readTrigger } from "./read-trigger.ts";
import { JOB_TARGET } from "./trigger-job.ts";

type ItemResult = BulkTriggerResult["results"][number];
type Batch = { id: string; job: TriggerableJob };
type Prepared = { index: number; run: NewRun } | { index: number; apiError: ApiError };

const MAX_CHANGES = 20;

/** Creates many runs in one commit, as a batch operation that is finished in the response. A bad item fails alone. */
export async function bulkTrigger(ctx: ProjectCtx, ref: string, items: TriggerItem[]): Promise<BulkTriggerResult> {
  for (let tries = 0; tries < MAX_CHANGES; tries++) {
    const job = await findStartable(ctx, JOB_TARGET, ref);
    const batch = { id: newId(), job };
    const prepared = await prepareItems(ctx, batch, items);
    const response = await commitBatch(ctx, batch.id, prepared);
    if (response) return response;
  }
  throw new ApiError("conflict", "The job keeps changing. Try again.");
}

async function prepareItems(ctx: ProjectCtx, batch: Batch, items: TriggerItem[]): Promise<Prepared[]> {
  const prepared: Prepared[] = [];
  for (const [index, item] of items.entries()) {
    await yieldToEventLoop();
    prepared.push(await prepareItem(ctx, batch, item, index));
  }
  return prepared;
}

async function prepareItem(ctx: ProjectCtx, { id, job }: Batch, item: TriggerItem, index: number): Promise<Prepared> {
  try {
    const trigger = await readTrigger(ctx, item, `body.items[${index}]`);
    if (!mayStart(ctx, "job", job, trigger.environment_id ?? null)) throw notFound("job");
    trigger.batch_id = id;
    return { index, run: await JOB_TARGET.prepare(ctx, job, trigger) };
  } catch (error) {
    if (error instanceof ApiError) return { index, apiError: error };
    throw error;
  }
}

/** Undefined: the job changed meanwhile and nothing was written. */
async function commitBatch(
  ctx: ProjectCtx,
  batch_id: string,
  prepared: Prepared[],
): Promise<BulkTriggerResult | undefined> {
  try {
    return await inTransaction(ctx, async (tx) => {
      const runs = prepared.flatMap((each) => ("run" in each ? [each.run] : []));
      const [, results] = await Promise.all([
        trackBatch(tx, { id: batch_id, kind: "trigger", total: prepared.length }),
        triggerWithin(tx, runs),
      ]);
      const responses = toResults(prepared, results);
      await advanceBatch(tx, { project_id: tx.project_id, batch_id, is_new: true }, responses.map(batchItem));
      tx.afterCommit(({ metrics }) => {
        metrics.bulkOperations.inc();
        metrics.bulkItemsProcessed.inc(prepared.length);
      });
      return { batch_id, results: responses };
    });
  } catch (error) {
    if (error instanceof JobChanged) return undefined;
    throw error;
  }
}

function toResults(prepared: Prepared[], triggered: TriggerResult[]): ItemResult[] {
  let next = 0;
  return prepared.map((each) =>
    "run" in each ? toResult(each.index, triggered[next++]) : failed(each.index, each.apiError),
  );
}

function toResult(index: number, result: TriggerResult | undefined): ItemResult {
  if (result === undefined || result.kind === "stale") throw new JobChanged();
  if (result.kind === "conflict") return failed(index, idempotencyConflict());
  if (result.kind === "over_budget") return failed(index, overBudget(result));
  const run_id = result.kind === "created" ? result.run.id : result.run_id;
  return { index, run_id, status: result.kind, error: null };
}

function failed(index: number, { code, message, errors }: ApiError): ItemResult {
  return { index, run_id: null, status: "failed", error: { code, message, errors } };
}

function batchItem({ index, run_id, status, error }: ItemResult) {
  return {
    item_index: index,
    target_id: run_id,
    status: status === "failed" ? ("failed" as const) : ("succeeded" as const),
    ...(error && { error: error.message, error_code: error.code }),
  };
}

/** Rolls back: the batch is prepared again from the current job. */
class JobChanged extends Error {}
