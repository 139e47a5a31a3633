import { daysAgo, type RetentionEntry } from "../../platform/retention/retention-entry.ts";

const KEPT_DAYS = 400;

export const alertRetention: RetentionEntry[] = [
  { name: "alerts", table: "alerts", at: "resolved_at", before: () => daysAgo(KEPT_DAYS), page: 1_000 },
];
