import { planCompensation } from "../compensate/compensate-plan.ts";
import type { LoadedRun } from "./loaded-run.ts";
import type { WorkflowRunEnd } from "./workflow-run-end.ts";

/** The end of a run that the planner has completed or failed. */
export function endOf(loaded: LoadedRun): WorkflowRunEnd[] {
  const { run, end } = loaded;
  if (run.planned_end) return compensatedEnd(loaded);
  if (end === null) return [];
  const { error_count } = end;
  if (end.kind === "complete") {
    const reason = error_count === 0 ? "every step is done" : `every step is done, ${error_count} of them failed`;
    return [{ run, status: "completed", error: null, error_count, cause: null, cause_ref: null, reason }];
  }
  const { error, step_ref } = end;
  const cause = "step_failed";
  return [{ run, status: "failed", error, error_count, cause, cause_ref: step_ref, reason: error.message }];
}

/** A compensating run gets the end decided before, once all compensations are over. */
function compensatedEnd({ run, version, steps }: LoadedRun): WorkflowRunEnd[] {
  if (run.planned_end === null || planCompensation(version.definition, steps).kind !== "done") return [];
  let error_count = 0;
  for (const { status, compensation } of steps.values()) {
    error_count += Number(status === "failed") + Number(compensation?.status === "failed");
  }
  return [{ run, error_count, ...run.planned_end }];
}
