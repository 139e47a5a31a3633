import { removeOldBatches } from "../batches/remove-old-batches.ts";
import { removeOldChanges } from "../changelog/remove-old-changes.ts";
import { sql } from "../database/sql.ts";
import type { RetentionEntry } from "./retention-entry.ts";

/** A counter that was not touched for two minutes is empty. A whole number, so that the index is used. */
const TWO_MINUTES_AGO = sql`ceil(extract(epoch from clock()) - 120)::bigint`;

export const platformRetention: RetentionEntry[] = [
  { name: "sessions", table: "sessions", expiresAt: "expires_at", page: 1_000 },
  { name: "ip_counters", table: "ip_counters", at: "last_second", before: () => TWO_MINUTES_AGO, page: 5_000 },
  // Items are deleted in pages before their operation.
  { name: "batch_operations", page: 1_000, removePage: removeOldBatches },
  // A change stays until every consumer has read it.
  { name: "changelog", page: 5_000, removePage: removeOldChanges },
];
