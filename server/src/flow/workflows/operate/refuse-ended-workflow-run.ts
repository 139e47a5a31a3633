import { ApiError } from "../../../platform/errors/errors.ts";
import { hasEnded } from "../../runs/states.ts";

export function refuseEndedWorkflowRun({ status }: { status: string }): void {
  if (!hasEnded(status)) return;
  throw new ApiError("workflow_run_ended", `The workflow run has already ended: its status is ${status}.`, {
    errors: [{ location: "path.workflowRunID", message: `is ${status}`, value: status }],
  });
}
