import type { ListSourceEventsQuery } from "@millrace/contract/source-events";
import type { ProjectCtx } from "../../../platform/context.ts";
import { notFound } from "../../../platform/errors/errors.ts";
import { presentPage, readPage } from "../../../platform/listing/page.ts";
import { findSource } from "../queries.ts";
import { listSourceEvents } from "./event-queries.ts";

export async function listEvents(ctx: ProjectCtx, ref: string, query: ListSourceEventsQuery) {
  const source = await findSource(ctx, ref);
  if (!source) throw notFound("event source");
  const page = readPage(ctx, `event-sources/${source.id}/events`, query, "e");
  return presentPage(ctx, page, await listSourceEvents(ctx, source.id, page, query.status));
}
