/** The legal moves of what the ledger keeps. The CHECK constraints of the tables hold the same pairs (tested). */

export const DELIVERY_MOVES = [
  [null, "pending"],
  ["pending", "pending"],
  ["pending", "delivered"],
  ["pending", "failed"],
  ["failed", "pending"],
] as const;

export const BATCH_MOVES = [
  [null, "pending"],
  [null, "running"],
  ["pending", "running"],
  ["running", "running"],
  ["running", "completed"],
  ["running", "failed"],
  ["pending", "canceled"],
  ["running", "canceled"],
] as const;
