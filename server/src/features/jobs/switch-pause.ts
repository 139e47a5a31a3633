import type { Job } from "@millrace/contract/jobs";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { notFound } from "../../platform/errors/errors.ts";
import { getJob } from "./get-job.ts";
import { redactJob } from "./headers.ts";
import { presentJob } from "./present-job.ts";
import { lockJob, setPaused } from "./queries.ts";
import { refuseBeyondKey } from "./references.ts";

/** Changes nothing if the job is already in that state. */
export async function switchPause(ctx: ProjectCtx, ref: string, isPaused: boolean): Promise<Job> {
  return inTransaction(ctx, async (tx) => {
    const row = await lockJob(tx, ref);
    if (!row) throw notFound("job");
    refuseBeyondKey(tx, row.environment_id);
    const before = await presentJob(tx, row);
    if ((row.paused_at !== null) === isPaused) return before;
    await setPaused(tx, row.id, isPaused);
    const after = await getJob(tx, row.id);
    await recordAudit(tx, {
      action: isPaused ? "job.paused" : "job.resumed",
      resource_type: "job",
      resource_id: row.id,
      before: redactJob(before),
      after: redactJob(after),
    });
    return after;
  });
}
