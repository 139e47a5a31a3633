import type { ListEventsQuery } from "@millrace/contract/events";
import { readApprovalMessages } from "../../flow/waits/read-trigger.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { invalid } from "../../platform/errors/errors.ts";
import { presentPage, readPageById, readPageByTime } from "../../platform/listing/page.ts";
import { presentTrigger } from "./present-trigger.ts";
import { listTriggers as listRows } from "./queries.ts";

export async function listTriggers(ctx: ProjectCtx, query: ListEventsQuery) {
  const { data, ...rest } = query.sort === "expires_at" ? await listSoonest(ctx, query) : await listNewest(ctx, query);
  const messages = await readApprovalMessages(ctx, ctx.project_id, data);
  return { data: data.map((row) => presentTrigger(ctx, row, messages.get(row.id))), ...rest };
}

async function listNewest(ctx: ProjectCtx, query: ListEventsQuery) {
  const page = readPageById(ctx, "events", query, "t");
  return presentPage(ctx, page, await listRows(ctx, page, query));
}

/** Only for waiting triggers: no index covers `expires_at` of the others. */
async function listSoonest(ctx: ProjectCtx, query: ListEventsQuery) {
  if (query.status !== "waiting") throw invalid("query.sort", "`expires_at` needs `status=waiting`", query.sort);
  const page = readPageByTime(ctx, "events", { order: "asc", ...query }, "t", "expires_at");
  return presentPage(ctx, page, await listRows(ctx, page, query));
}
