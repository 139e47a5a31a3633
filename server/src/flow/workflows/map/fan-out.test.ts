import { beforeAll, expect, it } from "vitest";
import { mapOf, upTo } from "../../../../test/costs/map-bench.ts";
import { workflowBench } from "../../../../test/costs/workflow-bench.ts";
import { runSql } from "../../../../test/world/database.ts";
import { makeFlowWorld } from "../../../../test/world/flow-world.ts";
import type { World } from "../../../../test/world/world.ts";

let world: World;
beforeAll(async () => {
  world = await makeFlowWorld();
});

const countBelow = async (id: string): Promise<number> => {
  const sql = "select count(*)::int as count from workflow_runs where parent_workflow_run_id = $1";
  return (await runSql<{ count: number }>(world.connection, sql, [id]))[0]?.count ?? 0;
};

it("a trigger returns before a large map has started its items, and a crash after it loses none", async () => {
  const project = await world.project();
  const bench = await workflowBench(world, project);
  const child = await bench.save([{ step_ref: "w", type: "wait_for_event", event_key: "never-{{payload.item}}" }]);
  const map = mapOf(bench, { workflow_id: child, job_id: undefined, max_parallel: 1_000 });
  const id = await bench.start(await bench.save([map]), { payload: { list: upTo(120) } });
  expect(await countBelow(id)).toBe(50);
  // No notification was sent: the remaining work is in the outbox.
  await world.tick("run-outbox");
  await world.runUntilIdle();
  expect(await countBelow(id)).toBe(120);
  const { body } = await project.api.get(`/v1/workflow-runs/${id}/steps/m`);
  expect(body.items).toMatchObject({ total: 120, running: 120 });
});
