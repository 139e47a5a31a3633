import type { UsagePeriod } from "@millrace/contract/usage";
import type { ProjectCtx } from "../../platform/context.ts";
import { presentUsage } from "./present-usage.ts";
import { readUsage } from "./queries.ts";

export async function getCurrentUsage(ctx: ProjectCtx): Promise<UsagePeriod> {
  return presentUsage(await readUsage(ctx, ctx.project_id));
}
