import type { Ctx } from "../../platform/context.ts";
import type { Effect } from "../../platform/ledger/record-effects.ts";
import { cancelWorkflowRun } from "./cancel-workflow-run.ts";

/** Cancels a workflow run whose step in another was canceled, skipped or reset. One that has ended is left as it is. */
export async function cancelChild(ctx: Ctx, { project_id, target_id, detail }: Effect): Promise<void> {
  const { reason } = detail as { reason: string };
  const why = { cause: "canceled", reason, by: "its parent workflow run" } as const;
  await cancelWorkflowRun(ctx, { project_id, workflow_run_id: target_id }, why);
}
