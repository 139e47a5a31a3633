import { isDeepStrictEqual } from "node:util";
import type {
  UpdateWebhookSubscription,
  WebhookSubscription,
} from "@millrace/contract/deliveries/webhook-subscriptions";
import { refuseUnreadable } from "../../platform/access/policies/refuse-denied.ts";
import { scopesToRead } from "../../platform/access/scopes-to-read.ts";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { InTransaction, ProjectCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { invalid, notFound } from "../../platform/errors/errors.ts";
import { collectIssues, throwIssues } from "../../platform/errors/issues.ts";
import {
  decryptSubscriptionHeaders,
  encryptSubscriptionHeaders,
  REDACTED,
} from "../../platform/webhooks/subscription-headers.ts";
import { chooseEnvironment, subscriptionIssues } from "./check-subscription.ts";
import { getSubscription, lockSubscription, presentSubscription, type SubscriptionRow } from "./queries.ts";
import { updateSubscriptionRow } from "./write-subscription.ts";

/** Deliveries that exist already keep their URL, but are sent with the current headers. */
export async function updateSubscription(
  ctx: ProjectCtx,
  id: string,
  body: UpdateWebhookSubscription,
): Promise<WebhookSubscription> {
  return inTransaction(ctx, async (tx) => {
    const row = await lockSubscription(tx, id);
    if (!row) throw notFound("webhook subscription");
    const before = await presentSubscription(tx, row);
    if (!(await writeChanges(tx, row, body))) return before;
    const after = await getSubscription(tx, id);
    await recordAudit(tx, {
      action: "webhook_subscription.updated",
      resource_type: "webhook_subscription",
      resource_id: id,
      before,
      after,
    });
    return after;
  });
}

/** Returns false if nothing changed. Unchanged fields are not validated: the rules may have changed since. */
async function writeChanges(
  tx: ProjectCtx & InTransaction,
  row: SubscriptionRow,
  { headers: requested, ...body }: UpdateWebhookSubscription,
): Promise<boolean> {
  const known = await decryptSubscriptionHeaders(tx, row, row.headers);
  const headers = requested && !isDeepStrictEqual(requested, known) ? mergeHeaders(known, requested) : undefined;
  const changes = Object.fromEntries(
    Object.entries(body).filter(([name, value]) => !isDeepStrictEqual(value, row[name as keyof SubscriptionRow])),
  ) as typeof body;
  const hasNewHeaders = headers !== undefined && !isDeepStrictEqual(headers, known);
  if (Object.keys(changes).length === 0 && !hasNewHeaders) return false;
  const issues = subscriptionIssues({ ...changes, ...(hasNewHeaders && { headers }) }, tx);
  const [, , environment_id] = await collectIssues(
    () => throwIssues(issues),
    () => issues.length > 0 || refuseCarriedHeaders(row.url, changes.url, known, requested),
    () => (changes.environment_id === undefined ? row.environment_id : chooseEnvironment(tx, changes.environment_id)),
  );
  await refuseUnreadable(tx, scopesToRead(changes.events ?? row.events));
  const encrypted = hasNewHeaders ? await encryptSubscriptionHeaders(tx, row, headers) : row.headers;
  const wanted = { ...row, ...changes, environment_id, headers: encrypted };
  // The slug of its current environment is no change.
  if (isDeepStrictEqual(wanted, row)) return false;
  await updateSubscriptionRow(tx, wanted);
  return true;
}

/** A caller who changes the URL must not redirect secrets meant for one host to another. */
function refuseCarriedHeaders(
  from: string,
  to: string | undefined,
  known: Record<string, string>,
  requested: Record<string, string> | undefined,
): void {
  if (to === undefined || new URL(to).origin === new URL(from).origin || Object.keys(known).length === 0) return;
  if (requested && !Object.values(requested).includes(REDACTED)) return;
  throw invalid("body.headers", "must be given again if the host of the URL changes", null);
}

/** A redacted value that is sent back stands for the stored one. */
function mergeHeaders(known: Record<string, string>, requested: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(requested).map(([name, value]) => {
      if (value !== REDACTED) return [name, value];
      const kept = known[name];
      if (kept === undefined) throw invalid(`body.headers.${name}`, "has no value yet", null);
      return [name, kept];
    }),
  );
}
