import { accountRoutes } from "../features/account/routes.ts";
import { alertChannelRoutes } from "../features/alert-channels/routes.ts";
import { alertRuleRoutes } from "../features/alert-rules/routes.ts";
import { alertRoutes } from "../features/alerts/routes.ts";
import { errorIssueRoutes } from "../features/analytics/issues/issue-routes.ts";
import { analyticsRoutes, costRoutes } from "../features/analytics/routes.ts";
import { apiKeyRoutes } from "../features/api-keys/routes.ts";
import { approvalRoutes } from "../features/approvals/routes.ts";
import { auditEventRoutes } from "../features/audit-events/routes.ts";
import { batchOperationRoutes } from "../features/batch-operations/routes.ts";
import { docsRoutes } from "../features/docs/routes.ts";
import { endpointRoutes } from "../features/endpoints/routes.ts";
import { environmentRoutes } from "../features/environments/routes.ts";
import { eventSourceRoutes } from "../features/event-sources/routes.ts";
import { eventRoutes } from "../features/events/routes.ts";
import { homeRoutes } from "../features/home/routes.ts";
import { jobDependencyRoutes } from "../features/jobs/dependencies/dependency-routes.ts";
import { jobRoutes } from "../features/jobs/routes.ts";
import { jobScheduleRoutes } from "../features/jobs/schedule-routes.ts";
import { triggerRoutes } from "../features/jobs/trigger/trigger-routes.ts";
import { logDrainRoutes } from "../features/log-drains/routes.ts";
import { logRoutes } from "../features/logs/routes.ts";
import { mcpRoutes } from "../features/mcp/routes.ts";
import { meRoutes } from "../features/me/routes.ts";
import { memberRoutes } from "../features/members/routes.ts";
import { operationRoutes } from "../features/operations/routes.ts";
import { outboxSourceRoutes } from "../features/outbox-sources/routes.ts";
import { policyRoutes } from "../features/policies/routes.ts";
import { projectBudgetRoutes } from "../features/project-budget/routes.ts";
import { projectConfigRoutes } from "../features/project-config/routes.ts";
import { projectRoutes } from "../features/projects/routes.ts";
import { queueRoutes } from "../features/queues/routes.ts";
import { retentionRoutes } from "../features/retention/routes.ts";
import { roleRoutes } from "../features/roles/routes.ts";
import { bulkRunRoutes } from "../features/runs/bulk/bulk-routes.ts";
import { runCostRoutes, runRecordRoutes, runWhyRoutes } from "../features/runs/records/record-routes.ts";
import { runRoutes } from "../features/runs/routes.ts";
import { runTraceRoutes } from "../features/runs/trace/run-trace.ts";
import { savedViewRoutes } from "../features/saved-views/routes.ts";
import { scheduleRoutes } from "../features/schedules/routes.ts";
import { scimRoutes } from "../features/scim/routes.ts";
import { sdkRunRoutes } from "../features/sdk-runs/routes.ts";
import { sessionRoutes } from "../features/session/routes.ts";
import { signInRoutes } from "../features/sign-in/routes.ts";
import { streamRoutes } from "../features/streams/routes.ts";
import { tokenRoutes } from "../features/tokens/routes.ts";
import { usageRoutes } from "../features/usage/routes.ts";
import { webhookDeliveryRoutes } from "../features/webhook-deliveries/routes.ts";
import { webhookSubscriptionRoutes } from "../features/webhook-subscriptions/routes.ts";
import { workerRoutes } from "../features/worker/routes.ts";
import { workerListRoutes } from "../features/workers/routes.ts";
import { workflowPolicyRoutes } from "../features/workflow-policies/routes.ts";
import { capsuleRoutes } from "../features/workflow-runs/capsules/capsule-routes.ts";
import { workflowGraphRoutes } from "../features/workflow-runs/graph-routes.ts";
import { workflowRunRoutes } from "../features/workflow-runs/routes.ts";
import { stepRoutes } from "../features/workflow-runs/steps/step-routes.ts";
import { workflowTraceRoutes } from "../features/workflow-runs/trace/workflow-trace.ts";
import { canaryRoutes } from "../features/workflows/canaries/canary-routes.ts";
import { workflowRoutes } from "../features/workflows/routes.ts";
import { shadowRoutes } from "../features/workflows/shadow/shadow-routes.ts";
import { migrateRunsRoutes, workflowVersionRoutes } from "../features/workflows/versions/version-routes.ts";
import type { Route } from "../platform/route.ts";

/** Every path of the service. `npm run routes -- <word>` searches it. */
export const allRoutes: readonly Route[] = [
  ...projectRoutes,
  ...endpointRoutes,
  ...environmentRoutes,
  ...apiKeyRoutes,
  ...jobRoutes,
  ...jobDependencyRoutes,
  ...triggerRoutes,
  ...meRoutes,
  ...runRoutes,
  ...runWhyRoutes,
  ...runRecordRoutes,
  ...runCostRoutes,
  ...runTraceRoutes,
  ...bulkRunRoutes,
  ...batchOperationRoutes,
  ...logRoutes,
  ...sdkRunRoutes,
  ...eventRoutes,
  ...eventSourceRoutes,
  ...jobScheduleRoutes,
  ...scheduleRoutes,
  ...workflowRoutes,
  ...workflowVersionRoutes,
  ...workflowPolicyRoutes,
  ...canaryRoutes,
  ...migrateRunsRoutes,
  ...shadowRoutes,
  ...capsuleRoutes,
  ...workflowGraphRoutes,
  ...workflowTraceRoutes,
  ...workflowRunRoutes,
  ...stepRoutes,
  ...approvalRoutes,
  ...webhookDeliveryRoutes,
  ...webhookSubscriptionRoutes,
  ...logDrainRoutes,
  ...outboxSourceRoutes,
  ...alertRuleRoutes,
  ...alertChannelRoutes,
  ...alertRoutes,
  ...auditEventRoutes,
  ...roleRoutes,
  ...policyRoutes,
  ...memberRoutes,
  ...analyticsRoutes,
  ...costRoutes,
  ...errorIssueRoutes,
  ...queueRoutes,
  ...workerRoutes,
  ...workerListRoutes,
  ...savedViewRoutes,
  ...streamRoutes,
  ...tokenRoutes,
  ...scimRoutes,
  ...sessionRoutes,
  ...signInRoutes,
  ...accountRoutes,
  ...projectBudgetRoutes,
  ...projectConfigRoutes,
  ...usageRoutes,
  ...retentionRoutes,
  ...operationRoutes,
  ...mcpRoutes,
  ...docsRoutes,
  ...homeRoutes,
];
