import { sql } from "../../platform/database/sql.ts";
import type { Task } from "../../platform/task.ts";
import { sealAudit } from "./seal-audit.ts";

/** An event has no number in its chain yet. */
const HAS_UNSEALED_EVENTS = sql`(
  select e.project_id from audit_events e where e.chain_no is null order by e.created_at, e.id limit 1) is not null`;

export const auditEventTasks: Task[] = [
  { name: "seal-audit", everyMs: 1_000, oneInstance: true, hasWork: HAS_UNSEALED_EVENTS, runOnce: sealAudit },
];
