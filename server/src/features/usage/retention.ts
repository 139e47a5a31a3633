import { daysAgo, type RetentionEntry } from "../../platform/retention/retention-entry.ts";

export const usageRetention: RetentionEntry[] = [
  { name: "usage_emails", table: "usage_emails", at: "created_at", before: () => daysAgo(400), page: 500 },
];
