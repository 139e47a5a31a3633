import { alertRuleTasks } from "../features/alert-rules/tasks.ts";
import { analyticsTasks, costTasks } from "../features/analytics/tasks.ts";
import { apiKeyTasks } from "../features/api-keys/tasks.ts";
import { auditEventTasks } from "../features/audit-events/tasks.ts";
import { eventTasks } from "../features/events/tasks.ts";
import { logDrainTasks } from "../features/log-drains/tasks.ts";
import { logTasks } from "../features/logs/tasks.ts";
import { operationTasks } from "../features/operations/tasks.ts";
import { outboxSourceTasks } from "../features/outbox-sources/tasks.ts";
import { projectBudgetTasks } from "../features/project-budget/tasks.ts";
import { projectTasks } from "../features/projects/tasks.ts";
import { bulkRunTasks } from "../features/runs/bulk/bulk-tasks.ts";
import { runTasks } from "../features/runs/tasks.ts";
import { scheduleTasks } from "../features/schedules/tasks.ts";
import { usageTasks } from "../features/usage/tasks.ts";
import { webhookDeliveryTasks } from "../features/webhook-deliveries/tasks.ts";
import { webhookSubscriptionTasks } from "../features/webhook-subscriptions/tasks.ts";
import { decisionTasks } from "../features/workflow-runs/decisions/decision-tasks.ts";
import { workflowRunTasks } from "../features/workflow-runs/tasks.ts";
import { workflowTasks } from "../features/workflows/tasks.ts";
import type { Task } from "../platform/task.ts";
import { retentionTasks } from "./all-retention.ts";
import { dispatchTasks } from "./dispatch-tasks.ts";
import { sumTasks } from "./sum-changes.ts";

/** Every background task of the service. `npm run tasks` prints it. */
export const allTasks: readonly Task[] = [
  ...dispatchTasks,
  ...sumTasks,
  ...runTasks,
  ...bulkRunTasks,
  ...logTasks,
  ...operationTasks,
  ...projectBudgetTasks,
  ...usageTasks,
  ...projectTasks,
  ...scheduleTasks,
  ...apiKeyTasks,
  ...eventTasks,
  ...workflowTasks,
  ...decisionTasks,
  ...workflowRunTasks,
  ...webhookSubscriptionTasks,
  ...webhookDeliveryTasks,
  ...logDrainTasks,
  ...outboxSourceTasks,
  ...alertRuleTasks,
  ...auditEventTasks,
  ...analyticsTasks,
  ...costTasks,
  ...retentionTasks,
];
