/**
 * The allowed transitions of deliveries and batch operations. The tables' CHECK constraints contain the same pairs
 * (tested).
 */

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
