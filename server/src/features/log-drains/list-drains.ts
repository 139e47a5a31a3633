import type { ListLogDrainsQuery } from "@millrace/contract/deliveries/log-drains";
import type { ProjectCtx } from "../../platform/context.ts";
import { presentPage, readPage } from "../../platform/listing/page.ts";
import { presentDrain } from "./present-drain.ts";
import { listDrains as listRows } from "./queries.ts";

export async function listDrains(ctx: ProjectCtx, query: ListLogDrainsQuery) {
  const page = readPage(ctx, "log_drains", query, "d");
  const { data, ...rest } = presentPage(ctx, page, await listRows(ctx, page));
  return { data: data.map(presentDrain), ...rest };
}
