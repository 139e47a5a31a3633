import { isDeepStrictEqual } from "node:util";
import { holdsScope, type Scope } from "@millrace/contract/access/scopes";
import {
  type CreateEventSubscription,
  type EventSubscription,
  MAX_SUBSCRIPTIONS,
  type UpdateEventSubscription,
} from "@millrace/contract/events/event-sources";
import { readRequestedEnvironment } from "../../../platform/access/environments.ts";
import { withDenies } from "../../../platform/access/policies/policies.ts";
import { refuseOtherOwnerEnvironment } from "../../../platform/access/policies/refuse-denied.ts";
import { actorOf, createdBy } from "../../../platform/actor.ts";
import { recordAudit } from "../../../platform/audit/record-audit.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { ApiError, invalid, notFound } from "../../../platform/errors/errors.ts";
import { collectIssues, throwIssues } from "../../../platform/errors/issues.ts";
import { newId } from "../../../platform/ids.ts";
import { findSource, lockSource } from "../queries.ts";
import { subscriptionIssues } from "./subscription-issues.ts";
import {
  countSubscriptions,
  deleteSubscriptionRow,
  findJobId,
  findWorkflowId,
  insertSubscription,
  lockSubscription,
  type SubscriptionRow,
  updateSubscriptionRow,
} from "./subscription-queries.ts";

export async function createSubscription(
  ctx: ProjectCtx,
  ref: string,
  body: CreateEventSubscription,
): Promise<EventSubscription> {
  if (!(await findSource(ctx, ref))) throw notFound("event source");
  const { filter = null, payload = null, concurrency_key = null, enabled = true } = body;
  const [, target, environment_id] = await collectIssues(
    () => throwIssues(subscriptionIssues(body)),
    () => chooseTarget(ctx, body),
    // A key bound to an environment starts runs there.
    () => readRequestedEnvironment(ctx, body.environment_id ?? undefined, "body"),
  );
  await refuseOtherOwnerEnvironment(ctx, { ...target, environment_id });
  return inTransaction(ctx, async (tx) => {
    const source = await lockSource(tx, ref);
    if (!source) throw notFound("event source");
    if ((await countSubscriptions(tx, source.id)) >= MAX_SUBSCRIPTIONS) {
      throw new ApiError("subscription_limit", `An event source has at most ${MAX_SUBSCRIPTIONS} subscriptions.`);
    }
    const after = await insertSubscription(tx, {
      ...{ id: newId(), project_id: ctx.project_id, source_id: source.id, ...createdBy(actorOf(ctx.caller)) },
      ...{ ...target, filter, payload, concurrency_key, environment_id, enabled },
    });
    const named = { resource_type: "event_subscription", resource_id: after.id };
    await recordAudit(tx, { action: "event_subscription.created", ...named, after });
    return after;
  });
}

/** The target cannot change; another target needs another subscription. Without changes, nothing is written. */
export async function updateSubscription(
  ctx: ProjectCtx,
  ref: string,
  id: string,
  body: UpdateEventSubscription,
): Promise<EventSubscription> {
  return inTransaction(ctx, async (tx) => {
    const source = await findSource(tx, ref);
    if (!source) throw notFound("event source");
    const before = await lockSubscription(tx, source.id, id);
    if (!before) throw notFound("subscription");
    const wanted = { ...before, ...body };
    if (isDeepStrictEqual(wanted, before)) return before;
    requireTargetScope(ctx, before);
    throwIssues(subscriptionIssues(wanted));
    const after = await updateSubscriptionRow(tx, wanted);
    const named = { resource_type: "event_subscription", resource_id: id };
    await recordAudit(tx, { action: "event_subscription.updated", ...named, before, after });
    return after;
  });
}

export async function deleteSubscription(ctx: ProjectCtx, ref: string, id: string): Promise<undefined> {
  await inTransaction(ctx, async (tx) => {
    const source = await findSource(tx, ref);
    if (!source) throw notFound("event source");
    const before = await lockSubscription(tx, source.id, id);
    if (!before) throw notFound("subscription");
    await deleteSubscriptionRow(tx, id);
    const named = { resource_type: "event_subscription", resource_id: id };
    await recordAudit(tx, { action: "event_subscription.deleted", ...named, before });
  });
}

type Target = Pick<SubscriptionRow, "job_id" | "workflow_id">;

/** The target of a subscription: either a job or a workflow, which the caller must be allowed to trigger. */
async function chooseTarget(ctx: ProjectCtx, requested: CreateEventSubscription): Promise<Target> {
  const { job_id, workflow_id } = requested;
  if (job_id !== undefined && workflow_id !== undefined) {
    throw invalid("body.workflow_id", "cannot be given together with job_id", workflow_id);
  }
  if (workflow_id !== undefined) {
    requireScope(ctx, "workflows:trigger");
    const found = await findWorkflowId(await withDenies(ctx, "workflows:trigger"), workflow_id);
    if (!found) throw invalid("body.workflow_id", "is not a workflow of this project", workflow_id);
    return { job_id: null, workflow_id: found };
  }
  if (job_id === undefined) throw invalid("body.job_id", "is required unless workflow_id is given", null);
  requireScope(ctx, "jobs:trigger");
  const found = await findJobId(await withDenies(ctx, "jobs:trigger"), job_id);
  if (!found) throw invalid("body.job_id", "is not a job of this project", job_id);
  return { job_id: found, workflow_id: null };
}

/** A caller who changes the input of a job or workflow must be allowed to trigger it. */
function requireTargetScope(ctx: ProjectCtx, { workflow_id }: Target): void {
  requireScope(ctx, workflow_id === null ? "jobs:trigger" : "workflows:trigger");
}

function requireScope({ caller }: ProjectCtx, scope: Scope): void {
  if (holdsScope(caller.scopes, scope)) return;
  throw new ApiError("scope_missing", `A subscription starts its target, which needs the scope ${scope}.`);
}
