import { beforeAll, describe, expect, it } from "vitest";
import { workflowBench } from "../../../../test/costs/workflow-bench.ts";
import { finishStep, holdStep } from "../../../../test/seed/finish-step.ts";
import { runSql } from "../../../../test/world/database.ts";
import { makeFlowWorld } from "../../../../test/world/flow-world.ts";
import type { World } from "../../../../test/world/world.ts";
import { whenProgressed } from "../progress/progress-soon.ts";

let world: World;
beforeAll(async () => {
  world = await makeFlowWorld();
});

/** A workflow limited to one run at a time; its step is held. */
async function oneAtATime() {
  const project = await world.project();
  const bench = await workflowBench(world, project);
  holdStep(bench, "a");
  const workflow = await bench.save([{ step_ref: "a" }], { max_concurrent_runs: 1 });
  const start = async () => {
    const id = await bench.start(workflow);
    await world.runUntilIdle();
    return id;
  };
  const statuses = async (...ids: string[]) =>
    Promise.all(ids.map(async (id) => (await bench.read(id)).run.status as string));
  const active = async () => {
    const [row] = await runSql<{ active: number }>(
      world.connection,
      "select active from concurrency_counters where project_id = $1 and key = $2",
      [project.id, `workflow:${workflow}`],
    );
    return row?.active;
  };
  // Without the reconciliation, which would find a run that was missed.
  const proceed = async () => {
    await whenProgressed(world.ctx);
    await world.tick("start-due-workflow-runs");
    await whenProgressed(world.ctx);
  };
  const post = async (path: string) => {
    await project.api.post(`/v1/workflow-runs/${path}`, {});
    await proceed();
  };
  const finish = async (nth?: number) => {
    await finishStep(world, bench, "a", nth === undefined ? {} : { nth });
    await proceed();
  };
  return { project, bench, start, statuses, active, post, finish };
}

describe("slots of max_concurrent_runs", () => {
  it("a canceled run releases its slot to the next", async () => {
    const { start, statuses, post, active } = await oneAtATime();
    const [first, second] = [await start(), await start()];
    expect(await statuses(first, second)).toEqual(["running", "pending"]);
    await post(`${first}/cancel`);
    expect(await statuses(first, second)).toEqual(["canceled", "running"]);
    expect(await active()).toBe(1);
  });

  it("a paused run keeps its slot", async () => {
    const { start, statuses, post } = await oneAtATime();
    const [first, second] = [await start(), await start()];
    await post(`${first}/pause`);
    expect(await statuses(first, second)).toEqual(["paused", "pending"]);
  });

  it("a run that waits for a slot may be paused, and waits for one again when it is resumed", async () => {
    const { start, statuses, post, finish } = await oneAtATime();
    const [first, second] = [await start(), await start()];
    await post(`${second}/pause`);
    await finish();
    expect(await statuses(first, second)).toEqual(["completed", "paused"]);
    await post(`${second}/resume`);
    expect(await statuses(second)).toEqual(["running"]);
  });

  it.each(["cancel", "pause"])("a %s of a run that waits for a slot lets the next one have it", async (verb) => {
    const { start, statuses, post, finish } = await oneAtATime();
    const [, second, third] = [await start(), await start(), await start()];
    await post(`${second}/${verb}`);
    await finish();
    expect(await statuses(third)).toEqual(["running"]);
  });

  it("a retry takes a slot even if all are taken: two run, and waiting runs wait for both", async () => {
    const { start, statuses, post, active, finish } = await oneAtATime();
    const first = await start();
    await post(`${first}/cancel`);
    const [second, third] = [await start(), await start()];
    await post(`${first}/retry`);
    await world.runUntilIdle();
    expect(await statuses(first, second, third)).toEqual(["running", "running", "pending"]);
    expect(await active()).toBe(2);

    await finish(1);
    expect(await statuses(second, third)).toEqual(["completed", "pending"]);
    await finish(2);
    expect(await statuses(first, third)).toEqual(["completed", "running"]);
    expect(await active()).toBe(1);
  });

  it("a retry of a run of an unlimited workflow takes none", async () => {
    const project = await world.project();
    const bench = await workflowBench(world, project);
    const { run } = await bench.run(await bench.save([{ step_ref: "a" }]));
    await project.api.post(`/v1/workflow-runs/${run.id}/steps/a/retry`);
    await world.runUntilIdle();
    const rows = await runSql(world.connection, "select 1 from concurrency_counters where project_id = $1", [
      project.id,
    ]);
    expect(rows).toEqual([]);
  });

  it("skipping a step while its run waits for a slot does not make the run miss the slot", async () => {
    const { start, statuses, post, project } = await oneAtATime();
    const [, second] = [await start(), await start()];
    // A release in the meantime has skipped the locked run, and tries again.
    await project.api.post(`/v1/workflow-runs/${second}/steps/a/skip`, {});
    const [row] = await runSql(world.connection, "select blocked_on from workflow_runs where id = $1", [second]);
    expect([row, await statuses(second)]).toEqual([{ blocked_on: null }, ["pending"]]);
    await post(`${second}/pause`);
    expect(await statuses(second)).toEqual(["paused"]);
  });
});
