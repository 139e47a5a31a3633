import type { Ctx, ProjectCtx } from "../context.ts";
import { isConnectionLoss, isDatabaseTimeout } from "../database/database-errors.ts";
import { logFailure } from "../logging/log-failure.ts";
import { claimBatch, type HeldBatch, releaseBatch } from "./claim-batch.ts";
import { recordBatchFailure } from "./end-batch.ts";

/**
 * Acts on the next items, with the permissions of the batch's creator. Its position moves in the transaction that acts
 * (`lockBatch`, `advanceBatch`), so that a crash loses nothing and repeats nothing.
 * `later`: nothing can be done now, and the next poll tries again.
 */
type BatchPage = (ctx: ProjectCtx, batch: HeldBatch) => Promise<"later" | undefined> | Promise<void>;

type BatchWork = {
  /** By kind of batch. Batches of other kinds are ignored. */
  pages: Record<string, BatchPage>;
  /** The log message of a failed page. */
  failure: string;
  /** Only a batch untouched for this long, whose other worker must have died. Any batch when absent. */
  idle_secs?: number;
  /** After this many timeouts in a row a batch is given up; the limit of other failures when absent. */
  maxTimeouts?: number;
};

/** Processes one page of the batch that was idle the longest. Returns whether another is due at once. */
export async function workOnBatch(ctx: Ctx, work: BatchWork): Promise<boolean> {
  const { pages, failure, idle_secs = 0, maxTimeouts } = work;
  const batch = await claimBatch(ctx, { kinds: Object.keys(pages), idle_secs });
  if (!batch) return false;
  let paused: "later" | undefined;
  try {
    paused = (await pages[batch.kind]?.(onBehalfOf(ctx, batch), batch)) ?? undefined;
  } catch (error) {
    if (isConnectionLoss(error)) {
      // Not a failure of the batch: it is retried when the database is back.
      await releaseBatch(ctx, batch);
      throw error;
    }
    logFailure(ctx, error, { batch_id: batch.id }, failure);
    await recordBatchFailure(ctx, batch, (error as Error).message, isDatabaseTimeout(error) ? maxTimeouts : undefined);
    return false;
  }
  await releaseBatch(ctx, batch);
  return paused !== "later";
}

/**
 * Runs with the permissions of the batch's creator, restricted to what they could see. Their permission was checked and
 * audited when the batch was created: later pages record no audit event for them. Pages record the actor by
 * `creatorOf`, since the key here does not exist.
 */
function onBehalfOf(ctx: Ctx, batch: HeldBatch): ProjectCtx {
  const { project_id, environment_id, created_by: name, id } = batch;
  const { access, limits } = batch.access ?? {};
  return {
    ...ctx,
    project_id,
    caller: {
      kind: "api_key",
      key_id: id,
      name,
      project_id,
      environment_id,
      org_id: null,
      scopes: [],
      ...(limits && { limits }),
    },
    ...(access && { access }),
    origin: { request_id: id, ip: "", user_agent: null, base_url: "" },
    session: null,
  };
}
