import type { ListEventsQuery } from "@millrace/contract/events";
import { readAsked } from "../../flow/waits/read-asked.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { presentPage, readPageById } from "../../platform/listing/page.ts";
import { presentTrigger } from "./present-trigger.ts";
import { listTriggers as listRows } from "./queries.ts";

export async function listTriggers(ctx: ProjectCtx, query: ListEventsQuery) {
  const page = readPageById(ctx, "events", query, "t");
  const { data, ...rest } = presentPage(ctx, page, await listRows(ctx, page, query));
  const asked = await readAsked(ctx, ctx.project_id, data);
  return { data: data.map((row) => presentTrigger(ctx, row, asked.get(row.id))), ...rest };
}
