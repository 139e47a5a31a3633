import { compensatedEnd } from "../compensate/compensate-end.ts";
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
