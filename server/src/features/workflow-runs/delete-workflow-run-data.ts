import { eraseRecords, eraseRun } from "../../flow/runs/maintain/erase-run.ts";
import { eraseWorkflowRun, listRunsOf, listWorkflowTree } from "../../flow/workflows/maintain/erase-workflow-run.ts";
import type { WorkflowRunKey } from "../../flow/workflows/workflow-run-changes.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { ApiError } from "../../platform/errors/errors.ts";
import { auditWorkflowRun } from "./audit-workflow-run.ts";
import { getWorkflowRun } from "./get-workflow-run.ts";

const PAGE = 500;
const NO_ID = "00000000-0000-0000-0000-000000000000";

/**
 * The workflow run, its sub-workflow runs and the runs of all their steps stay, with their times, statuses and costs.
 * Idempotent: repeating it completes an interrupted deletion.
 */
export async function deleteWorkflowRunData(ctx: ProjectCtx, id: string): Promise<undefined> {
  const { id: workflow_run_id, project_id } = await getWorkflowRun(ctx, id);
  const tree = await listWorkflowTree(ctx, { project_id, workflow_run_id });
  if (tree.some(({ has_ended }) => !has_ended)) throw notEnded();
  for (const { id: each } of tree) await eraseOne(ctx, { project_id, workflow_run_id: each });
}

async function eraseOne(ctx: ProjectCtx, key: WorkflowRunKey): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    if (!(await eraseWorkflowRun(tx, key))) throw notEnded();
    await auditWorkflowRun(tx, { action: "data_deleted", workflow_run_id: key.workflow_run_id });
  });
  for (let after = NO_ID, left = PAGE; left === PAGE; ) {
    const runs = await listRunsOf(ctx, key, after, PAGE);
    for (const { id: run_id } of runs) await eraseRunOf(ctx, { project_id: key.project_id, run_id });
    after = runs.at(-1)?.id ?? after;
    left = runs.length;
  }
}

async function eraseRunOf(ctx: ProjectCtx, key: { project_id: string; run_id: string }): Promise<void> {
  if (!(await inTransaction(ctx, (tx) => eraseRun(tx, key)))) throw notEnded();
  await eraseRecords(ctx, key);
}

function notEnded(): ApiError {
  return new ApiError("run_not_ended", "The workflow run, or something that it started, has not ended.");
}
