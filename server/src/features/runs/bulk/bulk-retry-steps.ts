import { retryDeadStep } from "../../../flow/workflows/operate/retry-dead-step.ts";
import { advanceBatch, type BatchWalk } from "../../../platform/batches/advance-batch.ts";
import { type HeldBatch, lockBatch, orderedBy } from "../../../platform/batches/claim-batch.ts";
import type { InTransaction, ProjectCtx } from "../../../platform/context.ts";
import { ApiError } from "../../../platform/errors/errors.ts";

type StepTarget = { run_id: string; index: number | undefined; workflow_run_id: string | null };

/** The dead letters of a page that belong to steps. */
type Steps = { targets: readonly StepTarget[]; walk: BatchWalk | undefined };

/**
 * Retries the steps whose runs are dead letters, each in its workflow run, recording the item in the same transaction.
 * Rejected ones are recorded with the rest of the page.
 */
export async function retrySteps(ctx: ProjectCtx, batch: HeldBatch, { targets, walk }: Steps) {
  const refused = new Map<string, ApiError>();
  let noted = 0;
  for (const { run_id, index, workflow_run_id } of targets) {
    if (workflow_run_id === null) continue;
    const dead = { project_id: batch.project_id, workflow_run_id, run_id };
    try {
      await retryDeadStep(ctx, dead, orderedBy(batch), (tx) => noteStep(tx, batch, { run_id, index, walks: !!walk }));
      noted++;
    } catch (error) {
      if (error instanceof BatchLost) break;
      if (!(error instanceof ApiError)) throw error;
      refused.set(run_id, error);
    }
  }
  return { refused, noted };
}

/** The batch was canceled or another instance has its lease: leave the step as it is. */
class BatchLost extends Error {}

type Noted = { run_id: string; index: number | undefined; walks: boolean };

async function noteStep(tx: ProjectCtx & InTransaction, batch: HeldBatch, { run_id, index, walks }: Noted) {
  const progress = await lockBatch(tx, batch);
  if (!progress) throw new BatchLost();
  const item = { item_index: index ?? progress.processed, target_id: run_id, status: "succeeded" } as const;
  // The cursor does not move until the whole page is done.
  const walk = walks ? { cursor: progress.walk as object, is_over: false } : undefined;
  await advanceBatch(tx, { project_id: batch.project_id, batch_id: batch.id }, [item], walk);
}
