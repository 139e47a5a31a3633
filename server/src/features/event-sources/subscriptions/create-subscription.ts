import {
  type CreateEventSubscription,
  type EventSubscription,
  MAX_SUBSCRIPTIONS,
} from "@millrace/contract/event-sources";
import { refuseOwnerElsewhere } from "../../../platform/access/policies/refuse-owner-elsewhere.ts";
import { readRequestedEnvironment } from "../../../platform/access/requested-environment.ts";
import { actorOf, createdBy } from "../../../platform/actor.ts";
import { recordAudit } from "../../../platform/audit/record-audit.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { collectIssues } from "../../../platform/errors/collect-issues.ts";
import { ApiError, notFound } from "../../../platform/errors/errors.ts";
import { throwIssues } from "../../../platform/errors/throw-issues.ts";
import { newId } from "../../../platform/ids.ts";
import { findSource, lockSource } from "../queries.ts";
import { chooseTarget } from "./choose-target.ts";
import { subscriptionIssues } from "./subscription-issues.ts";
import { countSubscriptions, insertSubscription } from "./subscription-queries.ts";

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
  await refuseOwnerElsewhere(ctx, { ...target, environment_id });
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
