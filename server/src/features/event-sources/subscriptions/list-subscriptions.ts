import type { ListSubscriptionsQuery } from "@millrace/contract/event-sources";
import type { ProjectCtx } from "../../../platform/context.ts";
import { notFound } from "../../../platform/errors/errors.ts";
import { presentPage, readPage } from "../../../platform/listing/page.ts";
import { findSource } from "../queries.ts";
import { listSubscriptions as listRows } from "./subscription-queries.ts";

export async function listSubscriptions(ctx: ProjectCtx, ref: string, query: ListSubscriptionsQuery) {
  const source = await findSource(ctx, ref);
  if (!source) throw notFound("event source");
  const page = readPage(ctx, `event-sources/${source.id}/subscriptions`, query, "s");
  return presentPage(ctx, page, await listRows(ctx, source.id, page));
}
