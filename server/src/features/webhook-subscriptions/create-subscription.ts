import type {
  CreateWebhookSubscription,
  WebhookSubscription,
} from "@millrace/contract/deliveries/webhook-subscriptions";
import { refuseUnreadable } from "../../platform/access/policies/refuse-denied.ts";
import { scopesToRead } from "../../platform/access/scopes-to-read.ts";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { ApiError, notFound } from "../../platform/errors/errors.ts";
import { collectIssues, throwIssues } from "../../platform/errors/issues.ts";
import { newId } from "../../platform/ids.ts";
import { encryptSubscriptionHeaders } from "../../platform/webhooks/subscription-headers.ts";
import { chooseEnvironment, subscriptionIssues } from "./check-subscription.ts";
import { countSubscriptions, findSubscription, presentSubscription } from "./queries.ts";
import { insertSubscription } from "./write-subscription.ts";

/** Every event is checked against all of them. */
const MAX_PER_PROJECT = 100;

export async function createSubscription(
  ctx: ProjectCtx,
  body: CreateWebhookSubscription,
): Promise<WebhookSubscription> {
  const { url, events, description = null, filter = null, headers = {}, enabled = true } = body;
  return inTransaction(ctx, async (tx) => {
    const [, environment_id] = await collectIssues(
      () => throwIssues(subscriptionIssues({ url, filter, headers }, ctx)),
      () => chooseEnvironment(tx, body.environment_id),
    );
    await refuseUnreadable(tx, scopesToRead(events));
    if ((await countSubscriptions(tx)) >= MAX_PER_PROJECT)
      throw new ApiError("conflict", `A project has at most ${MAX_PER_PROJECT} webhook subscriptions.`);
    const id = newId();
    const encrypted = await encryptSubscriptionHeaders(tx, { project_id: tx.project_id, id }, headers);
    await insertSubscription(tx, { id, environment_id, url, description, events, filter, headers: encrypted, enabled });
    const row = await findSubscription(tx, id);
    if (!row) throw notFound("webhook subscription");
    const after = await presentSubscription(tx, row);
    await recordAudit(tx, {
      action: "webhook_subscription.created",
      resource_type: "webhook_subscription",
      resource_id: id,
      after,
    });
    return after;
  });
}
