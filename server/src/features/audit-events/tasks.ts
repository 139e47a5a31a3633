import type { Task } from "../../platform/task.ts";
import { HAS_UNSEALED_EVENTS } from "./has-unsealed.ts";
import { sealAudit } from "./seal-audit.ts";

export const auditEventTasks: Task[] = [
  { name: "seal-audit", everyMs: 1_000, oneInstance: true, hasWork: HAS_UNSEALED_EVENTS, runOnce: sealAudit },
];
