import { ApiError } from "../../../platform/errors/errors.ts";
import type { LockedWorkflowRun } from "../progress/loaded-run.ts";

/** Steps cannot be retried while they are being compensated. */
export function refuseCompensating({ planned_end }: LockedWorkflowRun): void {
  if (planned_end === null) return;
  const message = `The workflow run is compensating, and will then end as ${planned_end.status}.`;
  throw new ApiError("workflow_run_compensating", message);
}
