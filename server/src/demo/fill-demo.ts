import type { CreateApiKey } from "@millrace/contract/access/api-keys";
import type { AssignMember } from "@millrace/contract/access/members";
import type { CreateRole } from "@millrace/contract/access/roles";
import type { CreateAlertRule } from "@millrace/contract/alerts/alert-rules";
import { createRule } from "../features/alert-rules/create-rule.ts";
import { createApiKey } from "../features/api-keys/create-api-key.ts";
import { createJob } from "../features/jobs/create-job.ts";
import { bulkTrigger } from "../features/jobs/trigger/bulk-trigger.ts";
import { triggerJob } from "../features/jobs/trigger/trigger-job.ts";
import { createMember } from "../features/members/assign-member.ts";
import { setProjectBudget } from "../features/project-budget/routes.ts";
import { createQueue } from "../features/queues/create-queue.ts";
import { createRole } from "../features/roles/create-role.ts";
import { createSchedule } from "../features/schedules/create-schedule.ts";
import { createSubscription } from "../features/webhook-subscriptions/create-subscription.ts";
import { createCanary } from "../features/workflows/canaries/create-canary.ts";
import { createWorkflow } from "../features/workflows/create-workflow.ts";
import { triggerWorkflow } from "../features/workflows/trigger/trigger-workflow.ts";
import { updateWorkflow } from "../features/workflows/update-workflow.ts";
import type { ProjectCtx } from "../platform/context.ts";
import { withRetryBudget } from "../platform/database/with-retry-budget.ts";
import { NO_REPLY } from "./demo-ctx.ts";
import { DEMO_JOBS, DEMO_QUEUE } from "./demo-jobs.ts";
import { DEMO_SUBSCRIPTIONS } from "./demo-webhooks.ts";
import { CANARY_STEPS, DEMO_CANARY, DEMO_SCHEDULE, DEMO_WORKFLOW, LARGE_ORDER, SMALL_ORDER } from "./demo-workflow.ts";

/** An order costs 4,200: this budget is spent in less than a day, with two warnings on the way. Nothing is blocked. */
const DEMO_BUDGET = { monthly_budget_microusd: 5_000_000, action: "notify" } as const;

/** Everything in the demo project, and the runs that are active while a new user looks around. */
export async function fillDemo(ctx: ProjectCtx, demoUrl: string): Promise<void> {
  const urlOf = (slug: string) => ({ endpoint_url: `${demoUrl}/jobs/${slug}` });
  const jobs = DEMO_JOBS.map((job) => ({ ...job, ...urlOf(job.slug), max_attempts: job.max_attempts ?? 3 }));
  await withRetryBudget(() => createQueue(ctx, DEMO_QUEUE));
  await Promise.all(jobs.map((job) => withRetryBudget(() => createJob(ctx, job))));
  for (const { receiver, ...subscription } of DEMO_SUBSCRIPTIONS)
    await withRetryBudget(() => createSubscription(ctx, { ...subscription, url: `${demoUrl}/webhooks/${receiver}` }));
  for (const one of [
    () => createWorkflow(ctx, DEMO_WORKFLOW),
    () => updateWorkflow(ctx, DEMO_WORKFLOW.slug, { steps: CANARY_STEPS }),
    () => createCanary(ctx, DEMO_WORKFLOW.slug, DEMO_CANARY),
    () => createSchedule(ctx, DEMO_SCHEDULE),
    () => triggerWorkflow(ctx, DEMO_WORKFLOW.slug, { payload: LARGE_ORDER }, NO_REPLY),
    () => triggerWorkflow(ctx, DEMO_WORKFLOW.slug, { payload: SMALL_ORDER }, NO_REPLY),
    () => triggerJob(ctx, "import-customers", { payload: { file: "customers.csv" } }, NO_REPLY),
    () => triggerJob(ctx, "sync-crm", { payload: { customer: "ada", plan: "gratis" } }, NO_REPLY),
    () => bulkTrigger(ctx, "resize-image", [...images(20, 0), ...images(40, 15)]),
    () => setProjectBudget(ctx, DEMO_BUDGET),
    () => createApiKey(ctx, DEMO_KEY),
    () => createRole(ctx, DEMO_ROLE),
    () => createMember(ctx, DEMO_MEMBER, NO_REPLY),
    ...DEMO_ALERT_RULES.map((rule) => () => createRule(ctx, rule)),
  ])
    await withRetryBudget<unknown>(one);
}

/** Several at once, or one every few seconds: the charts move for a while. */
function images(count: number, apartSecs: number) {
  return Array.from({ length: count }, (_, index) => ({
    payload: { image: `photo-${index + 1}.jpg`, width: 320 + index * 16 },
    ...(apartSecs > 0 && { delay_secs: (index + 1) * apartSecs }),
  }));
}

/**
 * An API key, a role and a member for the demo. Nobody has the secret of the key: it is returned once, and discarded
 * here.
 */
const DEMO_KEY: CreateApiKey = {
  name: "Shop (demo)",
  scopes: ["jobs:trigger", "workflows:trigger", "runs:read"],
  expires_in_days: 90,
};

const DEMO_ROLE: CreateRole = {
  name: "Packer (demo)",
  parent_role_id: "viewer",
  permissions: ["events:send"],
};

const DEMO_MEMBER: AssignMember = { subject: "ada@example.com", name: "Ada (demo)", role_id: DEMO_ROLE.name };

/** Example rules. The failures that the demo causes on purpose do not fire them. */
const DEMO_ALERT_RULES: readonly CreateAlertRule[] = [
  {
    ...{ name: "Orders fail (demo)", kind: "failure_rate", workflow_id: DEMO_WORKFLOW.slug },
    ...{ threshold: 0.5, window_secs: 900 },
    runbook: "Open the newest failed order, and read the error of the step that failed.",
  },
  { name: "Runs wait too long (demo)", kind: "oldest_queued", threshold: 1_800, for_secs: 300 },
];
