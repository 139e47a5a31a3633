import type { ServerResponse } from "node:http";
import { beforeAll, describe, expect, it } from "vitest";
import { mapOf, upTo } from "../../../../test/costs/map-bench.ts";
import { workflowBench } from "../../../../test/costs/workflow-bench.ts";
import type { Dispatch } from "../../../../test/outside/job-endpoint.ts";
import { randomFrom, testSeed } from "../../../../test/seed/seed.ts";
import { runSql } from "../../../../test/world/database.ts";
import { dyingInstance } from "../../../../test/world/dying-instance.ts";
import { makeFlowWorld } from "../../../../test/world/flow-world.ts";
import { rounds } from "../../../../test/world/rounds.ts";
import { until } from "../../../../test/world/until.ts";
import type { TestProject, World } from "../../../../test/world/world.ts";
import { progressRuns } from "../progress/progress-runs.ts";
import { whenProgressed } from "../progress/progress-soon.ts";
import { cancelWorkflowRun } from "../stop/cancel-workflow-run.ts";

let world: World;
beforeAll(async () => {
  world = await makeFlowWorld();
});

async function aBench() {
  const project = await world.project();
  return { project, bench: await workflowBench(world, project) };
}

/** Counters and rows agree, and each item has one run of its generation. */
async function expectInOrder(project: TestProject): Promise<void> {
  const rows = await runSql(
    world.connection,
    `select m.step_ref from map_steps m, lateral (
       select count(*) filter (where status = 'pending') as pending, count(*) filter (where status = 'running') as running,
         count(*) filter (where status = 'failed') as failed, count(*) as total
       from map_items i where i.project_id = m.project_id and i.workflow_run_id = m.workflow_run_id
         and i.step_ref = m.step_ref
     ) i
     where m.project_id = $1 and (m.pending, m.running, m.failed, m.total) <> (i.pending, i.running, i.failed, i.total)`,
    [project.id],
  );
  expect(rows).toEqual([]);
}

describe("items that end concurrently", () => {
  it("are each applied once, whichever instance progresses the run, and no more than max_parallel ever run", async () => {
    const { project, bench } = await aBench();
    const others = await Promise.all([world.anotherInstance(), world.anotherInstance()]);
    const all = [world.ctx, ...others.map(({ ctx }) => ctx)];
    const random = randomFrom(testSeed("items that end while others do"));
    let [running, max] = [0, 0];
    bench.endpoint.respondWith(async ({ body }, response) => {
      max = Math.max(max, ++running);
      await new Promise((resolve) => setTimeout(resolve, random() * 10));
      running--;
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body.payload.index));
    });
    const id = await bench.start(await bench.save([mapOf(bench, { max_parallel: 5 })]), {
      payload: { list: upTo(24) },
    });
    const key = { project_id: project.id, workflow_run_id: id };
    let isOver = false;
    const pressing = all.map(async (ctx) => {
      while (!isOver) {
        await progressRuns(ctx, [key]);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    });
    for (let rounds = 0; rounds < 60 && (await bench.read(id)).run.status === "running"; rounds++) {
      await world.runUntilIdle();
    }
    isOver = true;
    await Promise.all(pressing);
    const { run, steps } = await bench.read(id);
    expect(run.status).toBe("completed");
    expect(steps.m.output).toEqual(upTo(24));
    expect(max).toBeLessThanOrEqual(5);
    expect(bench.endpoint.dispatches).toHaveLength(24);
    await expectInOrder(project);
  });

  it("with a concurrent cancel: none is left running, and nothing starts after it", async () => {
    const { project, bench } = await aBench();
    const workflow = await bench.save([mapOf(bench, { max_parallel: 5 })]);
    for (let round = 0; round < rounds(3); round++) {
      const id = await bench.start(workflow, { payload: { list: upTo(40) } });
      const key = { project_id: project.id, workflow_run_id: id };
      let isOver = false;
      const pressing = (async () => {
        while (!isOver) await progressRuns(world.ctx, [key]);
      })();
      const before = bench.endpoint.dispatches.length;
      const idle = world.runUntilIdle();
      // Each round cancels at a different point of the run.
      await until("some items to start", 20_000, () => bench.endpoint.dispatches.length >= before + 10 * (round % 3));
      await cancelWorkflowRun(world.ctx, key, { cause: "canceled", reason: null, by: { id: null, name: "test" } });
      await idle;
      isOver = true;
      await pressing;
      await world.runUntilIdle();
      const open = await runSql(
        world.connection,
        `select step_ref from runs where project_id = $1 and workflow_run_id = $2 and finished_at is null
         union all select step_ref from map_items where project_id = $1 and workflow_run_id = $2 and finished_at is null`,
        [project.id, id],
      );
      expect(open).toEqual([]);
      await expectInOrder(project);
    }
  });
});

describe("kill -9 in the middle of a map", () => {
  it("loses nothing: the reconciliation continues where the instance died", async () => {
    const { project, bench } = await aBench();
    const late: ServerResponse[] = [];
    const hold = (_: Dispatch, response: ServerResponse) => void late.push(response);
    bench.endpoint.respondWith(hold, hold, { status: 200, body: 1 });
    const id = await bench.start(await bench.save([mapOf(bench, { max_parallel: 2 })]), { payload: { list: upTo(9) } });
    await whenProgressed(world.ctx);
    await world.tick("poll-queue");
    await until("two items to run", 20_000, () => late.length === 2);
    const dying = dyingInstance(world.ctx);
    dying.die();
    await expect(progressRuns(dying.ctx, [{ project_id: project.id, workflow_run_id: id }])).rejects.toThrow(
      "Connection terminated",
    );
    // The runs end without a notification: the instance that would have applied them is gone.
    const ended = await runSql(
      world.connection,
      `with freed as (delete from run_queue where project_id = $1)
       update runs set prev_status = 'running', status = 'completed', result = '1', transition_count = transition_count + 1,
         finished_at = clock(), updated_at = clock()
       where project_id = $1 and workflow_run_id = $2 and status = 'running' returning id`,
      [project.id, id],
    );
    expect(ended).toHaveLength(2);
    for (const response of late) response.end();
    await world.clock.pass("15s");
    await world.tick("reconcile-workflows");
    await world.runUntilIdle();
    const { run, steps } = await bench.read(id);
    expect(run.status).toBe("completed");
    expect(steps.m.output).toHaveLength(9);
    await expectInOrder(project);
  });

  it("a child that ended while its parent's instance died has an outbox entry, which continues the parent", async () => {
    const { project, bench } = await aBench();
    const child = await bench.save([{ step_ref: "w", type: "approval" }]);
    const id = await bench.start(await bench.save([{ step_ref: "sub", type: "sub_workflow", workflow_id: child }]));
    await world.runUntilIdle();
    const { steps } = await bench.read(id);
    const dying = dyingInstance(world.ctx);
    const key = { project_id: project.id, workflow_run_id: steps.sub.child_workflow_run_id };
    await cancelWorkflowRun(
      dying.ctx,
      key,
      { cause: "canceled", reason: null, by: { id: null, name: "test" } },
      async () => {
        setImmediate(dying.die);
      },
    );
    const entries = await runSql(world.connection, "select kind from outbox where project_id = $1", [project.id]);
    expect(entries).toContainEqual({ kind: "child_workflow_ended" });
    await world.runUntilIdle();
    expect((await bench.read(id)).run.status).toBe("failed");
  });

  it("a child whose outbox entry is lost, too, is found by the reconciliation", async () => {
    const { project, bench } = await aBench();
    const child = await bench.save([{ step_ref: "w", type: "approval" }]);
    const id = await bench.start(await bench.save([{ step_ref: "sub", type: "sub_workflow", workflow_id: child }]));
    await world.runUntilIdle();
    await runSql(
      world.connection,
      `update workflow_runs set prev_status = status, status = 'canceled', finished_at = clock(), updated_at = clock()
       where project_id = $1 and parent_workflow_run_id = $2`,
      [project.id, id],
    );
    await world.clock.pass("15s");
    await world.tick("reconcile-workflows");
    expect((await bench.read(id)).run.status).toBe("failed");
  });
});
