/** The allowed transitions of deliveries. The table's CHECK constraint contains the same pairs (tested). */
export const DELIVERY_TRANSITIONS = [
  [null, "pending"],
  ["pending", "pending"],
  ["pending", "delivered"],
  ["pending", "failed"],
  ["failed", "pending"],
] as const;
