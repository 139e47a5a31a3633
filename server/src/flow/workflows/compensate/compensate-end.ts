import type { LoadedRun } from "../progress/loaded-run.ts";
import type { WorkflowRunEnd } from "../progress/workflow-run-end.ts";
import { planCompensation } from "./compensate-plan.ts";

/** A compensating run gets the end decided before, once all compensations are over. */
export function compensatedEnd({ run, version, steps }: LoadedRun): WorkflowRunEnd[] {
  if (run.planned_end === null || planCompensation(version.definition, steps).kind !== "done") return [];
  let error_count = 0;
  for (const { status, compensation } of steps.values()) {
    error_count += Number(status === "failed") + Number(compensation?.status === "failed");
  }
  return [{ run, error_count, ...run.planned_end }];
}
