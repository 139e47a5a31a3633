import { sql } from "../../platform/database/sql.ts";
import { type RetentionEntry, secsAgo } from "../../platform/retention/retention-entry.ts";

/**
 * Deleted jobs that no run refers to, with their versions. Not within the first minute: a trigger that saw the job may
 * not have committed its run yet. `offset 0` prevents a join with all runs.
 */
export const jobRetention: RetentionEntry[] = [
  {
    name: "deleted_jobs",
    table: "jobs",
    at: "deleted_at",
    before: () => secsAgo(60),
    where: sql`not exists (select 1 from runs r where r.project_id = t.project_id and r.job_id = t.id offset 0)`,
    page: 500,
  },
];
