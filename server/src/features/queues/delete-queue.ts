import { DEFAULT_QUEUE } from "@millrace/contract/workers/queues";
import { unblockMoreOfQueue } from "../../flow/limits/block-job.ts";
import { lockQueue, moveDeletedJobs } from "../../flow/limits/lock-queue.ts";
import { refuseBoundKey } from "../../platform/access/environments.ts";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { ApiError, notFound } from "../../platform/errors/errors.ts";
import { inUseIssues } from "../../platform/errors/issues.ts";
import { deleteQueueRow, findQueue, listJobsOf } from "./queries.ts";

/** Runs of deleted jobs may still wait or run in it: they continue in the default queue. */
export async function deleteQueue(ctx: ProjectCtx, name: string): Promise<undefined> {
  refuseBoundKey(ctx.caller, "queues are");
  const { project_id } = ctx;
  const hasMore = await inTransaction(ctx, async (tx) => {
    await lockQueue(tx, project_id, name, DEFAULT_QUEUE);
    const before = await findQueue(tx, name);
    if (!before) throw notFound("queue");
    if (name === DEFAULT_QUEUE)
      throw new ApiError("queue_is_default", "Every project has the queue default: it cannot be deleted.");
    const jobs = await listJobsOf(tx, name);
    if (jobs.length > 0) {
      const errors = inUseIssues(jobs, "path.queueName", (job) => `the job "${job.name}" names it`);
      throw new ApiError("queue_in_use", "Jobs still use this queue. Move them to another one first.", { errors });
    }
    const more = await moveDeletedJobs(tx, project_id, { from: name, to: DEFAULT_QUEUE });
    await deleteQueueRow(tx, name);
    await recordAudit(tx, { action: "queue.deleted", resource_type: "queue", resource_id: before.id, before });
    return more;
  });
  if (hasMore) await unblockMoreOfQueue(ctx, { project_id, queue: name });
}
