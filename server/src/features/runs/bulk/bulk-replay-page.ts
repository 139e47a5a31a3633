import { type ReplayOutcome, replayRuns } from "../../../flow/runs/replay/replay-runs.ts";
import { retryDeadStep } from "../../../flow/workflows/operate/retry-dead-step.ts";
import { advanceBatch, type BatchItem, type BatchWalk } from "../../../platform/batches/advance-batch.ts";
import { type BatchProgress, creatorOf, type HeldBatch, lockBatch } from "../../../platform/batches/claim-batch.ts";
import { readRecorded } from "../../../platform/batches/read-batch.ts";
import type { AccessPolicy, InTransaction, ProjectCtx } from "../../../platform/context.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { ApiError, notFound } from "../../../platform/errors/errors.ts";
import { selectDeadLetters } from "./bulk-selection.ts";
import { findNamed, findNext } from "./bulk-walk.ts";
import { untriggerableRuns } from "./untriggerable-runs.ts";

/** A dead letter to replay. `index`: its position in the request if it was named. */
type Target = { run_id: string; index: number | undefined; workflow_run_id: string | null; isFound: boolean };

/** One page of work. `walk`: the cursor after it, for a batch with a filter. */
type Page = { targets: Target[]; walk: BatchWalk | undefined };

type Request = { run_ids?: string[]; limit?: number | null };

/** Runs that the batch's creator may not copy, and the policies that forbid the creator to trigger runs. */
type Plan = { denied_run_ids?: string[]; trigger_denials?: AccessPolicy[] } | null;

const PAGE = 50;
/**
 * Codes for dead letters with nothing left to do. They are skipped if a filter selected them, or if they belong to a
 * map, whose items are all retried with the first.
 */
const GONE: ReadonlySet<string> = new Set(["not_dead_lettered", "already_replayed"]);

/**
 * Replays the next dead letters: first steps, each in its workflow run's transaction, then the others together with the
 * cursor in one transaction. If that one is lost, the retried steps are no longer dead letters and are not found again.
 */
export async function replayPage(ctx: ProjectCtx, batch: HeldBatch): Promise<void> {
  const page = await inTransaction(ctx, async (tx) => {
    const progress = await lockBatch(tx, batch);
    return progress && (await choosePage(tx, batch, progress));
  });
  if (!page) return;
  const found = page.targets.filter(({ isFound }) => isFound).map(({ run_id }) => run_id);
  const untriggerable = await untriggerableRuns(ctx, (batch.plan as Plan)?.trigger_denials ?? [], found);
  const targets = page.targets.filter(({ run_id }) => !untriggerable.has(run_id));
  const refused = new Map([...untriggerable, ...(await retrySteps(ctx, batch, { ...page, targets }))]);
  await inTransaction(ctx, (tx) => replayRest(tx, batch, page, refused));
}

async function choosePage(ctx: ProjectCtx, batch: HeldBatch, progress: BatchProgress): Promise<Page> {
  const { run_ids, limit } = batch.request as Request;
  if (run_ids) return { targets: await chooseNamed(ctx, batch, run_ids), walk: undefined };
  const left = Math.max(0, (limit ?? Number.POSITIVE_INFINITY) - progress.processed);
  const walk = { selection: selectDeadLetters(ctx, batch.plan), until: batch };
  const { runs, cursor, is_over } = await findNext(ctx, walk, progress.walk, Math.max(1, Math.min(PAGE, left)));
  const taken = left === 0 ? [] : runs;
  return {
    targets: taken.map(({ id, workflow_run_id }) => ({ run_id: id, index: undefined, workflow_run_id, isFound: true })),
    walk: { cursor, is_over: is_over || taken.length >= left },
  };
}

async function chooseNamed(
  ctx: ProjectCtx,
  { project_id, id, plan }: HeldBatch,
  run_ids: readonly string[],
): Promise<Target[]> {
  const [noted, named] = [await readRecorded(ctx, { project_id, batch_id: id }), await findNamed(ctx, run_ids)];
  for (const run_id of (plan as Plan)?.denied_run_ids ?? []) named.delete(run_id);
  return run_ids
    .map((run_id, index) => ({
      run_id,
      index,
      workflow_run_id: named.get(run_id)?.workflow_run_id ?? null,
      isFound: named.has(run_id),
    }))
    .filter(({ index }) => !noted.has(index))
    .slice(0, PAGE);
}

async function replayRest(
  tx: ProjectCtx & InTransaction,
  batch: HeldBatch,
  { targets, walk }: Page,
  refused: ReadonlyMap<string, ApiError>,
): Promise<void> {
  const progress = await lockBatch(tx, batch);
  if (!progress) return;
  const { project_id, id: batch_id } = batch;
  const plain = targets.filter(({ workflow_run_id }) => workflow_run_id === null);
  const run_ids = plain.filter(({ run_id, isFound }) => isFound && !refused.has(run_id)).map(({ run_id }) => run_id);
  const outcomes = await replayRuns(tx, {
    project_id,
    run_ids,
    by: creatorOf(batch),
    batch_id,
    isDeadLetters: true,
  });
  const left = targets.filter(({ run_id, workflow_run_id }) => workflow_run_id === null || refused.has(run_id));
  const items = left.map((target, nth) => {
    const apiError = refused.get(target.run_id);
    const outcome = apiError ? { apiError } : outcomes.get(target.run_id);
    return itemOf(target, outcome ?? { apiError: notFound("run") }, progress.processed + nth);
  });
  await noteItems(tx, batch, items, walk);
}

async function noteItems(
  tx: ProjectCtx & InTransaction,
  { project_id, id: batch_id }: HeldBatch,
  items: BatchItem[],
  walk: BatchWalk | undefined,
): Promise<void> {
  const noted = await advanceBatch(tx, { project_id, batch_id }, items, walk);
  tx.afterCommit(({ metrics }) => metrics.bulkItemsProcessed.inc(noted));
}

function itemOf({ run_id, index, workflow_run_id }: Target, outcome: ReplayOutcome, nth: number): BatchItem {
  const item = { item_index: index ?? nth, target_id: run_id };
  if ("replayed_as" in outcome) return { ...item, status: "succeeded", detail: { replayed_as: outcome.replayed_as } };
  const { code, message } = outcome.apiError;
  const isSkipped = GONE.has(code) && (index === undefined || workflow_run_id !== null);
  return { ...item, status: isSkipped ? "skipped" : "failed", error: message, error_code: code };
}

type StepTarget = { run_id: string; index: number | undefined; workflow_run_id: string | null };

/** The dead letters of a page that belong to steps. */
type Steps = { targets: readonly StepTarget[]; walk: BatchWalk | undefined };

/**
 * Retries the steps whose runs are dead letters, each in its workflow run, recording the item in the same transaction.
 * Rejected ones are recorded with the rest of the page.
 */
async function retrySteps(ctx: ProjectCtx, batch: HeldBatch, { targets, walk }: Steps): Promise<Map<string, ApiError>> {
  const refused = new Map<string, ApiError>();
  for (const { run_id, index, workflow_run_id } of targets) {
    if (workflow_run_id === null) continue;
    const dead = { project_id: batch.project_id, workflow_run_id, run_id };
    try {
      await retryDeadStep(ctx, dead, creatorOf(batch), (tx) => recordStep(tx, batch, { run_id, index, walks: !!walk }));
    } catch (error) {
      if (error instanceof BatchLost) break;
      if (!(error instanceof ApiError)) throw error;
      refused.set(run_id, error);
    }
  }
  return refused;
}

/** The batch was canceled or another instance has its lease: leave the step as it is. */
class BatchLost extends Error {}

type Noted = { run_id: string; index: number | undefined; walks: boolean };

async function recordStep(tx: ProjectCtx & InTransaction, batch: HeldBatch, { run_id, index, walks }: Noted) {
  const progress = await lockBatch(tx, batch);
  if (!progress) throw new BatchLost();
  const item = { item_index: index ?? progress.processed, target_id: run_id, status: "succeeded" } as const;
  // The cursor does not move until the whole page is done.
  const walk = walks ? { cursor: progress.walk as object, is_over: false } : undefined;
  await noteItems(tx, batch, [item], walk);
}
