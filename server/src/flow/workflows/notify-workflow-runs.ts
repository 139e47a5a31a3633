import type { Ctx } from "../../platform/context.ts";
import { wake } from "../../platform/wake.ts";
import { WORKFLOW_RUN_TOPIC, type WorkflowRunKey } from "./workflow-run-key.ts";

/** Some run may start: it was created, or a slot was released. */
export const WORKFLOWS_DUE_TOPIC = "workflow-runs-due";

/** Notifies watchers of workflow runs after the commit that changed them. */
export function notifyWorkflowRuns(ctx: Ctx, keys: readonly WorkflowRunKey[]): void {
  for (const { project_id, workflow_run_id } of keys) {
    wake(ctx, WORKFLOW_RUN_TOPIC, `${project_id}:${workflow_run_id}`);
  }
}
