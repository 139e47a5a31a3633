import type { ProjectBudget } from "@millrace/contract/project-budget";
import { readBudget } from "../../flow/budget/read-budget.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { presentBudget } from "./present-budget.ts";

export async function getProjectBudget(ctx: ProjectCtx): Promise<ProjectBudget> {
  return presentBudget(await readBudget(ctx, ctx.project_id));
}
