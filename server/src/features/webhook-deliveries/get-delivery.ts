import type { WebhookDelivery, WebhookDeliveryDetail } from "@millrace/contract/deliveries/webhook-deliveries";
import { findTarget } from "../../platform/access/find-target.ts";
import { readDeniedRuns } from "../../platform/access/policies/denied-runs.ts";
import { withAccess } from "../../platform/access/policies/policies.ts";
import { mayUse } from "../../platform/access/policies/visibility.ts";
import { scopesToRead } from "../../platform/access/scopes-to-read.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { notFound } from "../../platform/errors/errors.ts";
import { findDelivery, listAttempts } from "./queries.ts";

type Delivery = WebhookDelivery & { body: string };

export async function getDelivery(ctx: ProjectCtx, id: string): Promise<WebhookDeliveryDetail> {
  const delivery = await findDelivery(ctx, id);
  if (!delivery) throw notFound("webhook delivery");
  const isShown = (await mayReadBody(ctx, delivery)) && !(await quotesDenied(ctx, delivery));
  const body = isShown ? delivery.body : null;
  return { ...delivery, body, attempt_history: await listAttempts(ctx, id) };
}

/** The body is a copy of its source object, so the caller needs read access to that. */
async function mayReadBody(ctx: ProjectCtx, { event_type, source_type, source_id }: WebhookDelivery): Promise<boolean> {
  for (const scope of scopesToRead([event_type])) {
    const reading = await withAccess(ctx, scope);
    const { isHeld, policies } = reading.access;
    if (isHeld && policies.length === 0) continue;
    const target = await findTarget(ctx, source_type, source_id);
    // If the object is deleted, it is unknown whether a policy would deny it.
    const isOpen = target ? mayUse(reading, target) : isHeld && !policies.some(({ effect }) => effect === "deny");
    if (!isOpen) return false;
  }
  return true;
}

/** The error of a workflow run quotes its failed step, and an event trigger the run that waits. */
async function quotesDenied(ctx: ProjectCtx, { source_type, source_id, body }: Delivery): Promise<boolean> {
  const isTrigger = source_type === "event_trigger";
  if (!isTrigger && !(source_type === "workflow_run" && hasError(body))) return false;
  const denied = await readDeniedRuns(ctx);
  if (!denied) return false;
  const { project_id } = ctx;
  const { rows } = await (isTrigger
    ? sql`
        select 1 from event_triggers t
        where t.project_id = ${project_id} and t.id = ${source_id} and not ${denied.run(sql`t.job_run_id`)}
          and not ${denied.run(sql`t.child_run_id`)} and not ${denied.workflowRun(sql`t.workflow_run_id`)}`
    : sql`
        select 1 from workflow_runs w
        where w.project_id = ${project_id} and w.id = ${source_id} and not ${denied.tree(sql`w.id`)}`
  ).execute(ctx.db);
  return rows.length === 0;
}

function hasError(body: string): boolean {
  return (JSON.parse(body) as { data?: { error?: unknown } }).data?.error != null;
}
