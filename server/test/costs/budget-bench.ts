import type { Client } from "../world/client.ts";
import { runSql } from "../world/database.ts";
import { makeJob } from "../world/queue-world.ts";
import type { World } from "../world/world.ts";

type Rules = { monthly_budget_microusd: number | null; action?: string; thresholds?: number[] };

/** A project whose budget blocks runs, and its current state. Compute costs nothing by default. */
export async function budgetBench(world: World, monthly_budget_microusd: number | null, fields: object = {}) {
  const project = await world.project({ compute_rate_microusd_per_sec: 0, ...fields });
  const set = async (rules: Rules, api: Client = project.api) => {
    const response = await api.put("/v1/project-budget", { action: "block", ...rules });
    if (response.status !== 200) throw new Error(response.text);
    return response.body;
  };
  await set({ monthly_budget_microusd });
  return {
    project,
    set,
    job: (more: object = {}) => makeJob(project, { estimated_cost_microusd: 100, ...more }),
    state: async () => (await project.api.get("/v1/project-budget")).body,
    /** Spent and reserved amounts, as a pair. */
    spent: async () => {
      const { settled_microusd, reserved_microusd } = (await project.api.get("/v1/project-budget")).body;
      return [settled_microusd, reserved_microusd];
    },
    /** Charges all ended runs to the budget, as the task does within a second. */
    recordCosts: async () => {
      while (await world.tick("sum-changes"));
    },
    blocked: async (run_id: string) => {
      const [row] = await runSql<{ blocked_on: string | null }>(
        world.connection,
        "select blocked_on from run_queue where run_id = $1",
        [run_id],
      );
      return row?.blocked_on;
    },
  };
}
