import type { RetentionEntry } from "../../platform/retention/retention-entry.ts";
import { removeOldEvents } from "./remove-old-events.ts";

export const auditEventRetention: RetentionEntry[] = [
  // The new beginning of a project's chain is signed.
  { name: "audit_events", page: 1_000, removePage: removeOldEvents },
];
