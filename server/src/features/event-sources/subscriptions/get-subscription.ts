import type { EventSubscription } from "@millrace/contract/event-sources";
import type { ProjectCtx } from "../../../platform/context.ts";
import { notFound } from "../../../platform/errors/errors.ts";
import { findSource } from "../queries.ts";
import { findSubscription } from "./subscription-queries.ts";

export async function getSubscription(ctx: ProjectCtx, ref: string, id: string): Promise<EventSubscription> {
  const source = await findSource(ctx, ref);
  if (!source) throw notFound("event source");
  const row = await findSubscription(ctx, source.id, id);
  if (!row) throw notFound("subscription");
  return row;
}
