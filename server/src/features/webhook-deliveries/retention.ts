import { sql } from "../../platform/database/sql.ts";
import { type RetentionEntry, secsAgo } from "../../platform/retention/retention-entry.ts";

/** Ended deliveries, with their attempts. */
export const webhookDeliveryRetention: RetentionEntry[] = [
  {
    name: "webhook_deliveries",
    table: "webhook_deliveries",
    at: "created_at",
    before: ({ config }) => secsAgo(config.delivery_retention_secs),
    through: sql`projects p`,
    where: sql`t.project_id = p.id and t.status <> 'pending'`,
    page: 500,
  },
];
