import { isDeepStrictEqual } from "node:util";
import type { EventSubscription, UpdateEventSubscription } from "@millrace/contract/event-sources";
import { recordAudit } from "../../../platform/audit/record-audit.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { notFound } from "../../../platform/errors/errors.ts";
import { throwIssues } from "../../../platform/errors/throw-issues.ts";
import { findSource } from "../queries.ts";
import { requireTargetScope } from "./choose-target.ts";
import { subscriptionIssues } from "./subscription-issues.ts";
import { lockSubscription, updateSubscriptionRow } from "./subscription-queries.ts";

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
