import { alertRetention } from "../features/alert-rules/retention.ts";
import { analyticsRetention } from "../features/analytics/retention.ts";
import { auditEventRetention } from "../features/audit-events/retention.ts";
import { jobRetention } from "../features/jobs/retention.ts";
import { memberRetention } from "../features/members/retention.ts";
import { runRetention } from "../features/runs/retention.ts";
import { signInRetention } from "../features/sign-in/retention.ts";
import { usageRetention } from "../features/usage/retention.ts";
import { webhookDeliveryRetention } from "../features/webhook-deliveries/retention.ts";
import { capsuleRetention } from "../features/workflow-runs/retention.ts";
import { workflowRetention } from "../features/workflows/retention.ts";
import { flowRetention } from "../flow/retention.ts";
import { platformRetention } from "../platform/retention/platform-retention.ts";
import { ROUND_MS, removeOldRows } from "../platform/retention/remove-old-rows.ts";
import type { RetentionEntry } from "../platform/retention/retention-entry.ts";
import type { Task } from "../platform/task.ts";

/** Everything that is deleted when it is old. Days of partitioned tables are dropped by `keep-partitions` instead. */
export const allRetention: readonly RetentionEntry[] = [
  ...flowRetention,
  ...platformRetention,
  ...runRetention,
  ...jobRetention,
  ...workflowRetention,
  ...capsuleRetention,
  ...webhookDeliveryRetention,
  ...auditEventRetention,
  ...analyticsRetention,
  ...usageRetention,
  ...signInRetention,
  ...memberRetention,
  ...alertRetention,
];

/** Old rows may stay a little longer: their removal takes at most a fifth of one connection. */
const THROTTLE = 4;

export const retentionTasks: Task[] = [
  {
    name: "remove-old-rows",
    everyMs: ROUND_MS,
    oneInstance: true,
    throttle: THROTTLE,
    runOnce: (ctx) => removeOldRows(ctx, allRetention),
  },
];
