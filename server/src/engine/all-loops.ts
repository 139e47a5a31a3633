import { costLoops } from "../features/analytics/cost-loops.ts";
import { analyticsLoops } from "../features/analytics/loops.ts";
import { apiKeyLoops } from "../features/api-keys/loops.ts";
import { auditEventLoops } from "../features/audit-events/loops.ts";
import { batchOperationLoops } from "../features/batch-operations/loops.ts";
import { eventSourceLoops } from "../features/event-sources/loops.ts";
import { eventLoops } from "../features/events/loops.ts";
import { jobLoops } from "../features/jobs/loops.ts";
import { logDrainLoops } from "../features/log-drains/loops.ts";
import { logLoops } from "../features/logs/loops.ts";
import { operationLoops } from "../features/operations/loops.ts";
import { projectBudgetLoops } from "../features/project-budget/loops.ts";
import { projectLoops } from "../features/projects/loops.ts";
import { bulkRunLoops } from "../features/runs/bulk-loops.ts";
import { runLoops } from "../features/runs/loops.ts";
import { scheduleLoops } from "../features/schedules/loops.ts";
import { sessionLoops } from "../features/session/loops.ts";
import { usageLoops } from "../features/usage/loops.ts";
import { webhookDeliveryLoops } from "../features/webhook-deliveries/loops.ts";
import { webhookSubscriptionLoops } from "../features/webhook-subscriptions/loops.ts";
import { capsuleLoops } from "../features/workflow-runs/capsule-loops.ts";
import { decisionLoops } from "../features/workflow-runs/decision-loops.ts";
import { workflowRunLoops } from "../features/workflow-runs/loops.ts";
import { workflowLoops } from "../features/workflows/loops.ts";
import type { Loop } from "../platform/loop.ts";
import { dispatchLoops } from "./dispatch-loops.ts";

/** Every background duty of the service. `npm run loops` prints it. */
export const allLoops: readonly Loop[] = [
  ...dispatchLoops,
  ...runLoops,
  ...bulkRunLoops,
  ...batchOperationLoops,
  ...jobLoops,
  ...logLoops,
  ...operationLoops,
  ...projectBudgetLoops,
  ...usageLoops,
  ...projectLoops,
  ...scheduleLoops,
  ...sessionLoops,
  ...apiKeyLoops,
  ...eventLoops,
  ...eventSourceLoops,
  ...workflowLoops,
  ...decisionLoops,
  ...capsuleLoops,
  ...workflowRunLoops,
  ...webhookSubscriptionLoops,
  ...webhookDeliveryLoops,
  ...logDrainLoops,
  ...auditEventLoops,
  ...analyticsLoops,
  ...costLoops,
];
