import type { ListHistoryQuery } from "@millrace/contract/runs";
import type { ProjectCtx } from "../../../platform/context.ts";
import { presentPage, readPage } from "../../../platform/listing/page.ts";
import { getRun } from "../get-run.ts";
import { listAttempts as listRows } from "./history-queries.ts";

/** A history is listed oldest first by default. */
export async function listAttempts(ctx: ProjectCtx, id: string, query: ListHistoryQuery) {
  const run = await getRun(ctx, id);
  const page = readPage(ctx, `runs/${run.id}/attempts`, { order: "asc", ...query }, "a");
  return presentPage(ctx, page, await listRows(ctx, run.id, page));
}
