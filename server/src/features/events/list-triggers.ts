import type { ListEventsQuery } from "@millrace/contract/events";
import type { ProjectCtx } from "../../platform/context.ts";
import { presentPage, readPageById } from "../../platform/listing/page.ts";
import { presentTrigger } from "./present-trigger.ts";
import { listTriggers as listRows } from "./queries.ts";

export async function listTriggers(ctx: ProjectCtx, query: ListEventsQuery) {
  const page = readPageById(ctx, "events", query, "t");
  const { data, ...rest } = presentPage(ctx, page, await listRows(ctx, page, query));
  return { data: data.map((row) => presentTrigger(ctx, row)), ...rest };
}
