import type { UpdateQueue } from "@millrace/contract/workers/queues";
import { adoptLeased } from "../../flow/limits/adopt-leased.ts";
import { unblockMoreOfQueue, unblockQueue } from "../../flow/limits/block-job.ts";
import { lockQueue, touchJobs } from "../../flow/limits/lock-queue.ts";
import { refuseBoundKey } from "../../platform/access/environments.ts";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { InTransaction, ProjectCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { notFound } from "../../platform/errors/errors.ts";
import { throwIssues } from "../../platform/errors/issues.ts";
import { changedSettings } from "../../platform/settings/changed-settings.ts";
import { inSlices } from "../../platform/time-slices.ts";
import { rateIssues } from "./create-queue.ts";
import { findQueue, type QueueRow, setPaused, updateQueueRow } from "./queries.ts";

type Change = { action: "queue.updated" | "queue.paused" | "queue.resumed"; write: () => Promise<void> };

export async function updateQueue(ctx: ProjectCtx, name: string, body: UpdateQueue): Promise<QueueRow> {
  return changeQueue(ctx, name, async (tx, before) => {
    const wanted = { ...before, ...body };
    throwIssues(rateIssues(wanted));
    const changed = await inSlices(changedSettings<QueueRow>(before, wanted));
    return changed.size === 0 ? undefined : { action: "queue.updated", write: () => updateQueueRow(tx, wanted) };
  });
}

/** Claims block the queued runs of a paused queue when they come to them; a resume unblocks those. */
export function switchPause(ctx: ProjectCtx, name: string, isPaused: boolean): Promise<QueueRow> {
  return changeQueue(ctx, name, async (tx, before) => {
    if (before.paused === isPaused) return undefined;
    return { action: isPaused ? "queue.paused" : "queue.resumed", write: () => setPaused(tx, name, isPaused) };
  });
}

/**
 * Runs that are blocked on a limit or pause of the queue try again under the new ones: the first of them in the
 * transaction, the rest after it. A concurrency limit that is set while runs are active counts them.
 */
async function changeQueue(
  ctx: ProjectCtx,
  name: string,
  decide: (tx: ProjectCtx & InTransaction, before: QueueRow) => Promise<Change | undefined>,
): Promise<QueueRow> {
  refuseBoundKey(ctx.caller, "queues are");
  const key = { project_id: ctx.project_id, queue: name };
  const { queue, hasMore } = await inTransaction(ctx, async (tx) => {
    await lockQueue(tx, tx.project_id, name);
    const before = await findQueue(tx, name);
    if (!before) throw notFound("queue");
    const change = await decide(tx, before);
    if (!change) return { queue: before, hasMore: false };
    await change.write();
    const job_ids = await touchJobs(tx, tx.project_id, name);
    await adoptLeased(tx, tx.project_id, job_ids);
    const more = await unblockQueue(tx, key);
    const after = (await findQueue(tx, name)) as QueueRow;
    const { action } = change;
    await recordAudit(tx, { action, resource_type: "queue", resource_id: before.id, before, after });
    return { queue: after, hasMore: more };
  });
  if (hasMore) await unblockMoreOfQueue(ctx, key);
  return queue;
}
