import { ProjectBudget, SetProjectBudget } from "@millrace/contract/project-budget";
import { projectRoute, type Route } from "../../platform/route.ts";
import { getProjectBudget } from "./get-project-budget.ts";
import { setProjectBudget } from "./set-project-budget.ts";

export const projectBudgetRoutes: Route[] = [
  projectRoute({
    method: "GET",
    path: "/v1/project-budget",
    summary: "Get the budget of the project and its current state",
    scope: "usage:read",
    response: ProjectBudget,
    run: (ctx) => getProjectBudget(ctx),
  }),
  projectRoute({
    method: "PUT",
    path: "/v1/project-budget",
    summary: "Set the budget of the project",
    scope: "usage:write",
    body: SetProjectBudget,
    response: ProjectBudget,
    run: (ctx, { body }) => setProjectBudget(ctx, body),
  }),
];
