/** The allowed transitions of batch operations. The table's CHECK constraint contains the same pairs (tested). */
export const BATCH_TRANSITIONS = [
  [null, "pending"],
  [null, "running"],
  ["pending", "running"],
  ["running", "running"],
  ["running", "completed"],
  ["running", "failed"],
  ["pending", "canceled"],
  ["running", "canceled"],
] as const;
