import type { ListWebhookSubscriptionsQuery } from "@millrace/contract/webhook-subscriptions";
import type { ProjectCtx } from "../../platform/context.ts";
import { presentPage, readPage } from "../../platform/listing/page.ts";
import { presentSubscription } from "./present-subscription.ts";
import { listSubscriptions as listRows } from "./queries.ts";

export async function listSubscriptions(ctx: ProjectCtx, query: ListWebhookSubscriptionsQuery) {
  const page = readPage(ctx, "webhook-subscriptions", query, "s");
  const rows = await listRows(ctx, page, query);
  return presentPage(ctx, page, await Promise.all(rows.map((row) => presentSubscription(ctx, row))));
}
