import type { PlannedEnd } from "../compensate/compensate-types.ts";
import type { LockedWorkflowRun } from "./loaded-run.ts";

/** How a workflow run ends. Only a run that did not complete has a reason to cancel its open steps. */
export type WorkflowRunEnd = Omit<PlannedEnd, "status"> & {
  run: LockedWorkflowRun;
  status: "completed" | PlannedEnd["status"];
  error_count: number;
};
