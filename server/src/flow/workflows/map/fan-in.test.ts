import { beforeAll, describe, expect, it } from "vitest";
import { type WorkflowBench, workflowBench } from "../../../../test/costs/workflow-bench.ts";
import { runSql } from "../../../../test/world/database.ts";
import { sizeOf } from "../../../../test/world/size.ts";
import { until } from "../../../../test/world/until.ts";
import { makeWorld, type World } from "../../../../test/world/world.ts";

const JOINS = sizeOf(12, 300);
const CONCURRENCY = sizeOf(12, 30);

let world: World;
let bench: WorkflowBench;
beforeAll(async () => {
  world = await makeWorld();
  bench = await workflowBench(world, await world.project());
});

describe("steps that end concurrently on several instances", () => {
  // Guarded by `for no key update` in `lockWorkflowRuns`: without it two concurrent ends both see the other running,
  // and their dependents never start, or start twice.
  it("start their dependents exactly once", async () => {
    const others = await Promise.all([world.anotherInstance(), world.anotherInstance()]);
    for (const { service } of [world, ...others]) service.startTasks();
    const workflow_id = await bench.save([
      { step_ref: "a" },
      { step_ref: "b" },
      { step_ref: "c" },
      { step_ref: "join", depends_on: ["a", "b", "c"] },
    ]);
    for (let started = 0; started < JOINS; started += CONCURRENCY) {
      await Promise.all(Array.from({ length: CONCURRENCY }, () => bench.start(workflow_id)));
    }
    const count = async (status: string) =>
      (
        await runSql(world.connection, "select 1 from workflow_runs where workflow_id = $1 and status = $2", [
          workflow_id,
          status,
        ])
      ).length;
    await until("every run to complete", 40_000 + JOINS * 200, async () => (await count("completed")) === JOINS);

    const refs = bench.endpoint.dispatches.map(({ body }) => `${body.workflow_run_id} ${body.step_ref}`);
    expect(refs).toHaveLength(JOINS * 4);
    expect(new Set(refs).size).toBe(JOINS * 4);
    expect(await runSql(world.connection, "select 1 from outbox")).toEqual([]);
    expect((await world.ctx.metrics.repairs.get()).values.filter(({ value }) => value > 0)).toEqual([]);
  });
});
