import { unblockJob } from "../../flow/limits/block-job.ts";
import { removeSchedulesOf } from "../../flow/schedules/keep-default-schedule.ts";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { ApiError, notFound } from "../../platform/errors/errors.ts";
import { inUseIssues } from "../../platform/errors/in-use-issues.ts";
import { redactJob } from "./headers.ts";
import { presentJob } from "./present-job.ts";
import { type Dependent, listDependents, lockJobToDelete, markDeleted } from "./queries.ts";
import { refuseBeyondKey } from "./references.ts";

/**
 * Hides the job from every caller at once. Accepted runs finish and stay readable; the row is removed once no run
 * refers to it.
 */
export async function deleteJob(ctx: ProjectCtx, ref: string): Promise<undefined> {
  const job_id = await inTransaction(ctx, async (tx) => {
    const row = await lockJobToDelete(tx, ref);
    if (!row) throw notFound("job");
    refuseBeyondKey(tx, row.environment_id);
    refuseInUse(await listDependents(tx, row.id));
    const before = redactJob(await presentJob(tx, row));
    await removeSchedulesOf(tx, { project_id: tx.project_id, job_id: row.id });
    await markDeleted(tx, row.id);
    await recordAudit(tx, { action: "job.deleted", resource_type: "job", resource_id: row.id, before });
    return row.id;
  });
  await unblockJob(ctx, { project_id: ctx.project_id, job_id });
}

function refuseInUse(dependents: Dependent[]): void {
  if (dependents.length === 0) return;
  const errors = inUseIssues(
    dependents,
    "path.jobID",
    ({ kind, name, is_step }) =>
      `the ${kind} "${name}" names it as ${is_step ? "the job of a step, or its compensation" : "its on_failure_job_id"}`,
  );
  const by = errors.map(({ message }) => message).join("; ");
  throw new ApiError("job_in_use", `The job is in use: ${by}.`, { errors });
}
