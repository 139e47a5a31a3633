import type { Actor } from "../../../platform/actor.ts";
import type { StepCause, StepError } from "../plan/graph-types.ts";

/** The end of a workflow run that compensates first, as decided before. */
export type PlannedEnd = {
  status: "failed" | "timed_out" | "canceled";
  error: StepError | null;
  /** The reason for which its open steps are canceled, and the step that caused it. */
  cause: StepCause | null;
  cause_ref: string | null;
  reason: string;
  /** Who ended it. Absent: the service itself. */
  by?: Actor;
};

export type CompensationStatus = "running" | "completed" | "failed";

/** The compensation of a step while its run is progressed. Differences from `was` are written at the end. */
export type LoadedCompensation = {
  status: CompensationStatus;
  run_id: string | null;
  error: StepError | null;
  was: CompensationStatus | null;
};
