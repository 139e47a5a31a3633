import Type, { type TObject, type TSchema } from "typebox";
import { ApiKey, CreatedApiKey, RotatedApiKey } from "../access/api-keys.ts";
import { Invitation } from "../access/invitations.ts";
import { Member } from "../access/members.ts";
import { type POLICY_RESOURCES, ResourcePolicy, TagPolicy } from "../access/policies.ts";
import { Role } from "../access/roles.ts";
import type { Scope } from "../access/scopes.ts";
import { AlertChannel, AlertChannelTest } from "../alerts/alert-channels.ts";
import { AlertRule, AlertRulePreview, AlertRuleTest } from "../alerts/alert-rules.ts";
import { ErrorIssue } from "../alerts/error-issues.ts";
import { ProjectBudget } from "../analytics/project-budget.ts";
import { LogDrain } from "../deliveries/log-drains.ts";
import { WebhookDelivery } from "../deliveries/webhook-deliveries.ts";
import { WebhookSubscription, WebhookTest } from "../deliveries/webhook-subscriptions.ts";
import { CreatedEventSource, EventSource, EventSubscription } from "../events/event-sources.ts";
import { BufferedEvent, EventPrefixSent, EventTrigger } from "../events/events.ts";
import { OutboxSource } from "../events/outbox-sources.ts";
import { SourceEvent } from "../events/source-events.ts";
import { Job } from "../jobs/jobs.ts";
import { Schedule, ScheduleBackfill } from "../jobs/schedules.ts";
import { Environment, ResolvedEnvironment } from "../projects/environments.ts";
import { ProjectConfig } from "../projects/project-config.ts";
import { Project } from "../projects/projects.ts";
import { SavedView } from "../projects/saved-views.ts";
import { BatchOperation } from "../runs/batch-operations.ts";
import { BulkCancelAllPreview } from "../runs/bulk-runs.ts";
import { JobDependencies } from "../runs/run-dependencies.ts";
import { Run } from "../runs/runs.ts";
import { Queue } from "../workers/queues.ts";
import { Canary, CanaryComparison } from "../workflows/canaries.ts";
import { CapsuleSummary } from "../workflows/capsules.ts";
import { RunsMigration } from "../workflows/migrate-runs.ts";
import { StepRun } from "../workflows/step-runs.ts";
import { ChangedWorkflowPolicy } from "../workflows/workflow-policies.ts";
import { StoppedWorkflowRun, WorkflowRun } from "../workflows/workflow-runs.ts";
import { Workflow } from "../workflows/workflows.ts";
import { responseObject } from "./schema.ts";

/** The scope needed to see the object that a write returns, and the receipt for callers without it. */
export type Receipt = {
  scope: Scope;
  /**
   * The policy type of the object that must be readable, and the response field with its id. `*` if the response
   * covers many objects, all of which must be readable.
   */
  of: { type: Exclude<(typeof POLICY_RESOURCES)[number], "*">; id: string } | undefined;
  schema: TObject;
};

const receipts = new Map<string, Receipt[]>();

/**
 * The receipts of a response; one per alternative if it is one of several objects. Empty if the response needs no
 * read permission.
 */
export function receiptsOf(response: TSchema | undefined): readonly Receipt[] {
  return receipts.get((response as { $id?: string } | undefined)?.$id ?? "") ?? [];
}

/** Besides id and status, a receipt contains `kept`: fields that only this response returns. */
function receipt(response: TObject, scope: Scope, of?: Receipt["of"], kept: readonly string[] = []): Receipt {
  const { $id = "", properties } = response as TObject & { $id?: string };
  const fields = ["id", "status", ...kept].filter((name) => name in properties);
  const schema = responseObject(
    `${$id}Receipt`,
    Object.fromEntries(fields.map((name) => [name, properties[name] ?? Type.Unknown()])),
    `Returned by a write instead of ${$id} if the caller has no permission to read it.`,
  );
  const made = { scope, of, schema };
  receipts.set($id, [made]);
  return made;
}

const itself = (type: NonNullable<Receipt["of"]>["type"]) => ({ type, id: "id" });
const all = (type: NonNullable<Receipt["of"]>["type"]) => ({ type, id: "*" });
const workflow = { type: "workflow", id: "workflow_id" } as const;

receipt(Project, "projects:read");
receipt(Environment, "environments:read", itself("environment"));
receipt(ResolvedEnvironment, "environments:read", itself("environment"));
receipt(ApiKey, "api-keys:read", itself("api_key"));
receipt(CreatedApiKey, "api-keys:read", itself("api_key"), ["key"]);
receipt(RotatedApiKey, "api-keys:read", itself("api_key"), ["key", "previous_key_expires_at"]);
receipt(Job, "jobs:read", itself("job"));
receipt(JobDependencies, "jobs:read", { type: "job", id: "job_id" }, ["job_id"]);
receipt(Schedule, "jobs:read", itself("schedule"));
receipt(ScheduleBackfill, "jobs:read", { type: "schedule", id: "schedule_id" }, [
  "schedule_id",
  "dry_run",
  "batch_id",
  "total",
]);
const ofRun = receipt(Run, "runs:read", itself("run"));
receipt(BatchOperation, "runs:read", itself("batch_operation"));
receipt(BulkCancelAllPreview, "runs:read", all("run"), ["dry_run"]);
receipt(Workflow, "workflows:read", itself("workflow"));
const ofWorkflowRun = receipt(WorkflowRun, "workflows:read", itself("workflow_run"));
receipt(StoppedWorkflowRun, "workflows:read", itself("workflow_run"), ["descendants"]);
receipt(StepRun, "workflows:read", { type: "workflow_run", id: "workflow_run_id" });
receipt(CapsuleSummary, "workflows:read", workflow);
receipt(Canary, "workflows:read", workflow);
receipt(CanaryComparison, "workflows:read", workflow);
receipt(RunsMigration, "workflows:read", workflow, ["dry_run", "batch_id", "counts", "next_after"]);
receipt(ChangedWorkflowPolicy, "workflows:read", all("workflow"), ["project_id"]);
receipt(EventTrigger, "events:read", itself("event_trigger"));
receipt(BufferedEvent, "events:read", undefined, ["buffered", "expires_at"]);
receipt(EventPrefixSent, "events:read", all("event_trigger"), ["dry_run", "resolved", "canceled_runs"]);
receipt(SourceEvent, "events:read", undefined, ["duplicate"]);
receipt(EventSource, "events:read");
receipt(CreatedEventSource, "events:read", undefined, ["secret"]);
receipt(EventSubscription, "events:read");
receipt(WebhookDelivery, "webhooks:read", itself("webhook_delivery"));
receipt(WebhookSubscription, "webhooks:read", itself("webhook_subscription"));
receipt(WebhookTest, "webhooks:read", all("webhook_subscription"), ["delivered", "status_code", "duration_ms"]);
receipt(LogDrain, "drains:read", itself("log_drain"));
receipt(OutboxSource, "outbox:read");
receipt(AlertRule, "alerts:read");
receipt(AlertRuleTest, "alerts:read", undefined, ["delivery_ids"]);
receipt(AlertRulePreview, "alerts:read");
receipt(AlertChannel, "alerts:read");
receipt(AlertChannelTest, "alerts:read", undefined, ["delivery_ids"]);
receipt(Role, "access:read");
receipt(ResourcePolicy, "access:read");
receipt(TagPolicy, "access:read");
receipt(Member, "access:read");
receipt(Invitation, "access:read", undefined, ["url", "expires_at"]);
receipt(SavedView, "analytics:read");
receipt(ErrorIssue, "analytics:read");
receipt(Queue, "jobs:read");
receipt(ProjectBudget, "usage:read", undefined, ["project_id"]);
receipt(ProjectConfig, "projects:read", undefined, ["project_id", "revision"]);
receipts.set("StartedRun", [ofRun, ofWorkflowRun]);
