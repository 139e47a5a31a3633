import type { ListWebhookDeliveriesQuery } from "@millrace/contract/deliveries/webhook-deliveries";
import type { ProjectCtx } from "../../platform/context.ts";
import { readSpan } from "../../platform/listing/filters.ts";
import { presentPage, readPage } from "../../platform/listing/page.ts";
import { listDeliveries as listRows } from "./queries.ts";

export async function listDeliveries(ctx: ProjectCtx, query: ListWebhookDeliveriesQuery) {
  const page = readPage(ctx, "webhook-deliveries", query, "d");
  return presentPage(ctx, page, await listRows(ctx, page, readSpan(query)));
}
