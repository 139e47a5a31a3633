import { sql } from "../../platform/database/sql.ts";
import { firstIdAt } from "../../platform/ids.ts";
import { type RetentionEntry, secsAgo } from "../../platform/retention/retention-entry.ts";

/**
 * Imported workflow runs, as if they had ended at their import. The primary key finds the oldest: ids are in time
 * order.
 */
export const capsuleRetention: RetentionEntry[] = [
  {
    name: "run_capsules",
    table: "run_capsules",
    at: "created_at",
    before: ({ config }) => secsAgo(config.workflow_run_retention_secs),
    through: sql`projects p`,
    where: ({ config, watch }) =>
      sql`t.project_id = p.id and t.id < ${firstIdAt(watch.nowMs() - config.workflow_run_retention_secs * 1_000)}`,
    order: "id",
    page: 50, // a capsule may be megabytes
  },
];
