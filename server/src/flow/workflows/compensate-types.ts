import type { Actor } from "../../platform/actor.ts";
import type { StepCause, StepError } from "./graph-types.ts";

/** How a workflow run ends that compensates first, as it was decided before. */
export type PlannedEnd = {
  status: "failed" | "timed_out" | "canceled";
  error: StepError | null;
  /** What its open steps are canceled for, and because of which step. */
  cause: StepCause | null;
  cause_ref: string | null;
  reason: string;
  /** Who ended it. Absent: the service itself. */
  by?: Actor;
};

export type CompensationStatus = "running" | "completed" | "failed";

/** The compensation of a step while it is progressed. What differs from `was` is written at the end. */
export type LoadedCompensation = {
  status: CompensationStatus;
  run_id: string | null;
  error: StepError | null;
  was: CompensationStatus | null;
};
