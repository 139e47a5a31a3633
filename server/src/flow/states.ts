/** The legal moves of a run. The CHECK constraint of the table holds the same pairs (tested). */
export const RUN_MOVES = [
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

export type RunStatus = (typeof RUN_MOVES)[number][1];

/** Why a run moved, as its transition tells. */
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
  | "job_deleted";
