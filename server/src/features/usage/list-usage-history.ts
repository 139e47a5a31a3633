import type { UsageHistoryQuery } from "@millrace/contract/usage";
import type { ProjectCtx } from "../../platform/context.ts";
import { presentPage, readPage } from "../../platform/listing/page.ts";
import { presentUsage } from "./present-usage.ts";
import { listUsage } from "./queries.ts";

export async function listUsageHistory(ctx: ProjectCtx, query: UsageHistoryQuery) {
  const page = readPage(ctx, "usage", query, "u");
  const { data, ...rest } = presentPage(ctx, page, await listUsage(ctx, page));
  return { data: data.map(presentUsage), ...rest };
}
