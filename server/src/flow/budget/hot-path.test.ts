import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { budgetBench } from "../../../test/costs/budget-bench.ts";
import { captureStatements } from "../../../test/statements/sent-statements.ts";
import { claimOne, makeJob } from "../../../test/world/queue-world.ts";
import { untilUp } from "../../../test/world/until-up.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";
import { settleRuns } from "../runs/settle/settle-runs.ts";

const texts: string[] = [];
const notes = captureStatements((text) => texts.push(text));
let world: World;
beforeAll(async () => {
  world = await makeWorld();
  await untilUp([world]);
});
afterAll(() => notes.stop());

/** The statements of a run, from its trigger to its end, that name a table of the budgets. */
async function statementsOf(project: TestProject, job: Awaited<ReturnType<typeof makeJob>>): Promise<number[]> {
  await project.api.post(`${job.path}/trigger`, {});
  texts.length = 0;
  expect((await project.api.post(`${job.path}/trigger`, {})).status).toBe(201);
  const run = await claimOne(world.ctx, job);
  await settleRuns(world.ctx, [{ run, outcome: { kind: "completed", result_json: "null" } }]);
  const own = texts.filter((text) => /budget_reservations|job_costs|usage_periods/.test(text));
  const writes = texts.filter((text) => /\b(runs|run_queue|project_budgets)\b/.test(text));
  return [writes.length, own.length];
}

describe("a run in a project without a blocking budget", () => {
  it("executes the same statements as without a budget, and none that names a table of the budgets", async () => {
    const bare = await world.project();
    const without = await statementsOf(bare, await makeJob(bare));
    expect(without[1]).toBe(0);
    const notifying = await budgetBench(world, 1_000);
    await notifying.set({ monthly_budget_microusd: 1_000, action: "notify" });
    expect(await statementsOf(notifying.project, await notifying.job())).toEqual(without);
    const blocking = await budgetBench(world, 1_000);
    const [, own = 0] = await statementsOf(blocking.project, await blocking.job());
    expect(own).toBeGreaterThan(0);
  });
});
