import { beforeAll, expect, it } from "vitest";
import { workflowBench } from "../../../../test/costs/workflow-bench.ts";
import { runSql } from "../../../../test/world/database.ts";
import { makeFlowWorld } from "../../../../test/world/flow-world.ts";
import type { World } from "../../../../test/world/world.ts";

let world: World;
beforeAll(async () => {
  world = await makeFlowWorld();
});

it.each([
  ["completes", "completed"],
  ["fails", "failed"],
])("W13 the decisions of a run that %s are counted and numbered without gaps, the end last", async (_, end) => {
  const bench = await workflowBench(world, await world.project());
  if (end === "failed") bench.onDispatch("b", () => ({ status: 400, body: {} }));
  const workflow = await bench.save([{ step_ref: "a" }, { step_ref: "b", depends_on: ["a"] }]);
  const { run } = await bench.run(workflow);
  expect(run.status).toBe(end);
  const [counted] = await runSql(
    world.connection,
    `select w.decisions, array_agg(d.ordinal order by d.ordinal) as ordinals,
       (array_agg(d.decision_type order by d.ordinal desc))[1] as last
     from workflow_runs w join workflow_decisions d on d.workflow_run_id = w.id where w.id = $1 group by w.decisions`,
    [run.id],
  );
  expect(counted).toEqual({ decisions: 5, ordinals: [1, 2, 3, 4, 5], last: "end" });
});
