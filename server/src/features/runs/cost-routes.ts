import { RunCost } from "@millrace/contract/run-cost";
import { readRunCosts } from "../../flow/budget/read-run-costs.ts";
import { outcomeOf } from "../../flow/runs/dispatch/dispatch-cost.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { projectRoute, type Route } from "../../platform/route.ts";
import { getRun } from "./get-run.ts";

const MAX_ATTEMPTS = 100;

/** The cost of a run so far: its reported usage, and the time of its ended dispatches. */
async function getRunCost(ctx: ProjectCtx, id: string): Promise<Omit<RunCost, "$schema">> {
  const run = await getRun(ctx, id);
  const dispatches = await readRunCosts(ctx, ctx.project_id, [run.id]);
  const sum = (name: "compute_microusd" | "wall_ms") =>
    dispatches.reduce((total, each) => Math.min(total + each[name], Number.MAX_SAFE_INTEGER), 0);
  const compute_microusd = sum("compute_microusd");
  return {
    run_id: run.id,
    total_microusd: Math.min(run.cost_microusd + compute_microusd, Number.MAX_SAFE_INTEGER),
    reported_microusd: run.cost_microusd,
    compute_microusd,
    wall_ms: sum("wall_ms"),
    dispatches: dispatches.length,
    is_running: run.status === "running",
    attempts: dispatches.slice(-MAX_ATTEMPTS).map(({ attempt, to_status, cause, ...costs }) => {
      const { wall_ms, compute_microusd, reported_microusd } = costs;
      return { attempt, outcome: outcomeOf({ to_status, cause }), wall_ms, compute_microusd, reported_microusd };
    }),
  };
}

export const runCostRoutes: Route[] = [
  projectRoute({
    method: "GET",
    path: "/v1/runs/{runID}/cost",
    summary: "Get the cost of a run: reported usage and compute",
    scope: "runs:read",
    foundBy: { table: "runs", param: "runID" },
    response: RunCost,
    run: (ctx, { params }) => getRunCost(ctx, params.runID),
  }),
];
