import { isDeepStrictEqual } from "node:util";
import type { UpdateWebhookSubscription, WebhookSubscription } from "@millrace/contract/webhook-subscriptions";
import { refuseUnreadable } from "../../platform/access/refuse-unreadable.ts";
import { scopesToRead } from "../../platform/access/scopes-to-read.ts";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import { collectIssues } from "../../platform/collect-issues.ts";
import type { InTransaction, ProjectCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { invalid, notFound } from "../../platform/errors.ts";
import { openSubscriptionHeaders, REDACTED, sealSubscriptionHeaders } from "../../platform/subscription-headers.ts";
import { throwIssues } from "../../platform/throw-issues.ts";
import { chooseEnvironment, subscriptionIssues } from "./check-subscription.ts";
import { getSubscription } from "./get-subscription.ts";
import { presentSubscription } from "./present-subscription.ts";
import { lockSubscription, type SubscriptionRow } from "./queries.ts";
import { updateSubscriptionRow } from "./write-subscription.ts";

/** What is on its way already goes where it was going, with the headers as they are when it is sent. */
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

/** False: nothing was changed. What is sent back as it stands is not looked at: the rules may have changed since. */
async function writeChanges(
  tx: ProjectCtx & InTransaction,
  row: SubscriptionRow,
  { headers: asked, ...body }: UpdateWebhookSubscription,
): Promise<boolean> {
  const known = await openSubscriptionHeaders(tx, row, row.headers);
  const headers = asked && !isDeepStrictEqual(asked, known) ? mergeHeaders(known, asked) : undefined;
  const changes = Object.fromEntries(
    Object.entries(body).filter(([name, value]) => !isDeepStrictEqual(value, row[name as keyof SubscriptionRow])),
  ) as typeof body;
  const isSealedAnew = headers !== undefined && !isDeepStrictEqual(headers, known);
  if (Object.keys(changes).length === 0 && !isSealedAnew) return false;
  const issues = subscriptionIssues({ ...changes, ...(isSealedAnew && { headers }) }, tx);
  const [, , environment_id] = await collectIssues(
    () => throwIssues(issues),
    () => issues.length > 0 || refuseCarriedHeaders(row.url, changes.url, known, asked),
    () => (changes.environment_id === undefined ? row.environment_id : chooseEnvironment(tx, changes.environment_id)),
  );
  await refuseUnreadable(tx, scopesToRead(changes.events ?? row.events));
  const sealed = isSealedAnew ? await sealSubscriptionHeaders(tx, row, headers) : row.headers;
  const wanted = { ...row, ...changes, environment_id, headers: sealed };
  // The slug of the environment that it has is no change.
  if (isDeepStrictEqual(wanted, row)) return false;
  await updateSubscriptionRow(tx, wanted);
  return true;
}

/** Secrets that were given for one host are not sent to another by whoever may change the address. */
function refuseCarriedHeaders(
  from: string,
  to: string | undefined,
  known: Record<string, string>,
  asked: Record<string, string> | undefined,
): void {
  if (to === undefined || new URL(to).origin === new URL(from).origin || Object.keys(known).length === 0) return;
  if (asked && !Object.values(asked).includes(REDACTED)) return;
  throw invalid("body.headers", "must be given again with an address at another host", null);
}

/** A value that is sent back as it was shown stands for the one there is. */
function mergeHeaders(known: Record<string, string>, asked: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(asked).map(([name, value]) => {
      if (value !== REDACTED) return [name, value];
      const kept = known[name];
      if (kept === undefined) throw invalid(`body.headers.${name}`, "has no value yet", null);
      return [name, kept];
    }),
  );
}
