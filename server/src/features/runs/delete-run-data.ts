import { eraseRecords, eraseRun } from "../../flow/runs/maintain/erase-run.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { ApiError } from "../../platform/errors/errors.ts";
import { auditRun } from "./audit-run.ts";
import { getRun } from "./get-run.ts";

/** The run stays, with its times, statuses and costs. Idempotent: repeating it completes an interrupted deletion. */
export async function deleteRunData(ctx: ProjectCtx, id: string): Promise<undefined> {
  const { id: run_id, project_id, status, workflow_run_id } = await getRun(ctx, id);
  if (workflow_run_id !== null) {
    throw new ApiError(
      "belongs_to_workflow",
      `Other steps also contain its data. Delete the data of the workflow run ${workflow_run_id}.`,
    );
  }
  await inTransaction(ctx, async (tx) => {
    if (!(await eraseRun(tx, { project_id, run_id })))
      throw new ApiError("run_not_ended", `The run has not ended: its status is ${status}.`);
    await auditRun(tx, { action: "data_deleted", run_id });
  });
  await eraseRecords(ctx, { project_id, run_id });
}
