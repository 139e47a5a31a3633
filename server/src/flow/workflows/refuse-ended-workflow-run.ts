import { ApiError } from "../../platform/errors.ts";

const ENDED: ReadonlySet<string> = new Set(["completed", "failed", "timed_out", "canceled"]);

export function workflowRunHasEnded(status: string): boolean {
  return ENDED.has(status);
}

/** Only a retry, a replay or a skip of steps leaves a final state. */
export function refuseEndedWorkflowRun({ status }: { status: string }): void {
  if (!workflowRunHasEnded(status)) return;
  throw new ApiError("workflow_run_ended", `The workflow run has already ended: it is ${status}.`, {
    errors: [{ location: "path.workflowRunID", message: `is ${status}`, value: status }],
  });
}
