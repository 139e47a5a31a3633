/** The legal transitions of a run. The CHECK constraint of the table holds the same pairs (tested). */
export const RUN_TRANSITIONS = [
  [null, "pending"],
  ["pending", "running"],
  ["pending", "paused"],
  ["pending", "canceled"],
  ["pending", "failed"],
  ["running", "completed"],
  ["running", "failed"],
  ["running", "timed_out"],
  ["running", "canceled"],
  ["running", "pending"],
  ["running", "waiting"],
  ["running", "paused"],
  ["waiting", "pending"],
  ["waiting", "paused"],
  ["waiting", "timed_out"],
  ["waiting", "canceled"],
  ["paused", "pending"],
  ["paused", "canceled"],
] as const;

/** Of an event trigger: exactly one of resolve, timeout and cancel wins. Created as `received`: it was buffered. */
export const TRIGGER_TRANSITIONS = [
  [null, "waiting"],
  [null, "received"],
  ["waiting", "received"],
  ["waiting", "timed_out"],
  ["waiting", "canceled"],
] as const;

/** Of a workflow run. Only a retry or a replay of steps leaves a final state. */
export const WORKFLOW_RUN_TRANSITIONS = [
  [null, "pending"],
  [null, "running"],
  ["pending", "running"],
  ["pending", "paused"],
  ["pending", "canceled"],
  ["running", "paused"],
  ["running", "completed"],
  ["running", "failed"],
  ["running", "timed_out"],
  ["running", "canceled"],
  ["paused", "running"],
  ["paused", "pending"],
  ["paused", "canceled"],
  ["completed", "running"],
  ["failed", "running"],
  ["timed_out", "running"],
  ["canceled", "running"],
] as const;

/** Of a step of a workflow run. Back to `pending`: reset, with a new generation. */
export const STEP_TRANSITIONS = [
  [null, "pending"],
  ["pending", "running"],
  ["pending", "waiting"],
  ["pending", "completed"],
  ["pending", "failed"],
  ["pending", "skipped"],
  ["pending", "canceled"],
  ["running", "completed"],
  ["running", "failed"],
  ["running", "skipped"],
  ["running", "canceled"],
  ["running", "pending"],
  ["waiting", "completed"],
  ["waiting", "failed"],
  ["waiting", "skipped"],
  ["waiting", "canceled"],
  ["waiting", "pending"],
  ["completed", "pending"],
  ["failed", "pending"],
  ["skipped", "pending"],
  ["canceled", "pending"],
  ["failed", "skipped"],
  ["canceled", "skipped"],
] as const;

/** Of an item of a map step. Completed items stay, until the list is evaluated again. */
export const MAP_ITEM_TRANSITIONS = [
  [null, "pending"],
  ["pending", "running"],
  ["pending", "failed"],
  ["pending", "canceled"],
  ["running", "completed"],
  ["running", "failed"],
  ["running", "canceled"],
  ["failed", "pending"],
  ["canceled", "pending"],
] as const;

export const LIVE_STATUSES = ["pending", "running", "waiting", "paused"] as const satisfies RunStatus[];

/** The final states of runs and workflow runs. Only a retry, a replay or a skip leaves one. */
export const ENDED = ["completed", "failed", "timed_out", "canceled"] as const;

export function hasEnded(status: string): boolean {
  return (ENDED as readonly string[]).includes(status);
}

export type TriggerStatus = (typeof TRIGGER_TRANSITIONS)[number][1];
export type WorkflowRunStatus = (typeof WORKFLOW_RUN_TRANSITIONS)[number][1];
export type StepStatus = (typeof STEP_TRANSITIONS)[number][1];
export type RunStatus = (typeof RUN_TRANSITIONS)[number][1];

/** Why a run moved, as stored in its transition. */
export type RunCause =
  | "created"
  | "claimed"
  | "completed"
  | "failed"
  | "retry"
  | "timeout"
  | "heartbeat_lost"
  | "lease_lost"
  | "drained"
  | "unreachable"
  | "canceled"
  | "parent_canceled"
  | "expired"
  | "paused"
  | "resumed"
  | "waiting"
  | "event_received"
  | "event_timed_out"
  | "event_canceled"
  | "overlap"
  | "job_deleted"
  | "dependency_failed";
