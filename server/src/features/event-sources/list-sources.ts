import type { ListEventSourcesQuery } from "@millrace/contract/event-sources";
import type { ProjectCtx } from "../../platform/context.ts";
import { presentPage, readPage } from "../../platform/listing/page.ts";
import { presentSource } from "./present-source.ts";
import { listSources as listRows } from "./queries.ts";

export async function listSources(ctx: ProjectCtx, query: ListEventSourcesQuery) {
  const page = readPage(ctx, "event-sources", query, "s");
  const { data, ...rest } = presentPage(ctx, page, await listRows(ctx, page));
  return { data: data.map((row) => presentSource(ctx, row)), ...rest };
}
