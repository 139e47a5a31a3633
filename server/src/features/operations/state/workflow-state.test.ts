import { beforeAll, expect, it } from "vitest";
import { workflowBench } from "../../../../test/costs/workflow-bench.ts";
import { makeWorld, type World } from "../../../../test/world/world.ts";
import { readState } from "./refresh-state.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

const active = async () => (await readState(world.ctx)).find(({ figure }) => figure === "workflow_runs_active")?.value;

it("workflow runs are counted by their starts and ends, and as active in between", async () => {
  const bench = await workflowBench(world, await world.project());
  await bench.start(await bench.save([{ step_ref: "a" }]));
  expect(await active()).toBe(1);
  await world.runUntilIdle();
  while (await world.tick("sum-changes"));
  expect(await active()).toBe(0);
  const { values } = await world.ctx.metrics.workflowRuns.get();
  const counts = Object.fromEntries(values.map(({ labels, value }) => [labels.event, value]));
  expect(counts).toEqual({ started: 1, completed: 1 });
});
