import pg from "pg";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { childrenOf, sub } from "../../../../test/costs/map-bench.ts";
import { workflowBench } from "../../../../test/costs/workflow-bench.ts";
import { finishStep, holdStep } from "../../../../test/seed/finish-step.ts";
import { runSql } from "../../../../test/world/database.ts";
import { makeFlowWorld } from "../../../../test/world/flow-world.ts";
import { until } from "../../../../test/world/until.ts";
import type { World } from "../../../../test/world/world.ts";
import { whenProgressed } from "../progress/progress-soon.ts";

let world: World;
beforeAll(async () => {
  world = await makeFlowWorld();
});

/** A workflow whose step is held until the test ends it. */
async function heldWorkflow(max_concurrent_runs: number | null) {
  const project = await world.project();
  const bench = await workflowBench(world, project);
  holdStep(bench, "a");
  const workflow = await bench.save([{ step_ref: "a" }], { max_concurrent_runs });
  const statuses = async (...ids: string[]) =>
    Promise.all(ids.map(async (id) => (await bench.read(id)).run.status as string));
  // Without the reconciliation, which would find a run that was missed.
  const proceed = async () => {
    await whenProgressed(world.ctx);
    await world.tick("start-due-workflow-runs");
    await whenProgressed(world.ctx);
  };
  const start = async () => {
    const id = await bench.start(workflow);
    await world.runUntilIdle();
    return id;
  };
  const finish = async (nth?: number) => {
    await finishStep(world, bench, "a", nth === undefined ? {} : { nth });
    await whenProgressed(world.ctx);
  };
  const limit = (max: number | null) => project.api.patch(`/v1/workflows/${workflow}`, { max_concurrent_runs: max });
  const slot = [project.id, `workflow:${workflow}`];
  const repairs = async () => {
    const before = await countRepairs();
    await world.tick("reconcile-workflows");
    return (await countRepairs()) - before;
  };
  return { project, bench, workflow, statuses, proceed, start, finish, limit, slot, repairs };
}

async function countRepairs(): Promise<number> {
  const { values } = await world.ctx.metrics.repairs.get();
  return values.filter(({ labels }) => labels.kind === "workflow_slots").reduce((sum, { value }) => sum + value, 0);
}

/** Locks rows in a transaction of its own; `waiters` resolves when that many sessions wait for locks. */
async function holdRows(text: string, values: unknown[]) {
  const client = new pg.Client(world.connection);
  await client.connect();
  await client.query("begin");
  expect((await client.query(text, values)).rowCount).toBe(1);
  const waiters = (count: number) =>
    until(`${count} waiting sessions`, 20_000, async () => {
      const rows = await runSql(
        world.connection,
        "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      );
      return rows.length >= count;
    });
  const release = () => client.query("commit");
  onTestFinished(() => client.end());
  return { waiters, release };
}

const COUNTER = "select 1 from concurrency_counters where project_id = $1 and key = $2 for update";
const RUN = "select 1 from workflow_runs where project_id = $1 and id = $2 for no key update";

describe("the order in which runs get slots of max_concurrent_runs", () => {
  it("an end passes its slot to the run that waits longest, in the same transaction", async () => {
    const { start, finish, statuses } = await heldWorkflow(1);
    const [first, second, third] = [await start(), await start(), await start()];
    await finish();
    expect(await statuses(first, second, third)).toEqual(["completed", "running", "pending"]);
  });

  it("a newcomer does not overtake a waiting run when it starts in the instant of an end", async () => {
    const { bench, workflow, start, finish, proceed, statuses, slot } = await heldWorkflow(1);
    const [, second] = [await start(), await start()];
    const newcomer = await bench.start(workflow);
    const gate = await holdRows(COUNTER, slot);
    const ending = finish();
    await gate.waiters(1);
    const starting = world.tick("start-due-workflow-runs");
    await gate.waiters(2);
    await gate.release();
    await Promise.all([ending, starting]);
    await proceed();
    expect(await statuses(second, newcomer)).toEqual(["running", "pending"]);
  });

  it("a newcomer waits behind a due run that another transaction holds, and starts after it", async () => {
    const { project, bench, workflow, proceed, statuses } = await heldWorkflow(1);
    const [first, second] = [await bench.start(workflow), await bench.start(workflow)];
    const gate = await holdRows(RUN, [project.id, first]);
    await world.tick("start-due-workflow-runs");
    expect(await statuses(first, second)).toEqual(["pending", "pending"]);
    await gate.release();
    await proceed();
    expect(await statuses(first, second)).toEqual(["running", "pending"]);
  });

  it("a waiting run that is locked when the slot becomes free starts once it is not", async () => {
    const { project, start, finish, proceed, statuses, repairs } = await heldWorkflow(1);
    const [, second] = [await start(), await start()];
    const gate = await holdRows(RUN, [project.id, second]);
    await finish();
    expect(await statuses(second)).toEqual(["pending"]);
    await gate.release();
    await proceed();
    expect(await statuses(second)).toEqual(["running"]);
    expect(await repairs()).toBe(0);
  });

  it("a run whose parent was canceled gets no slot, though its own end is still to come", async () => {
    const { project, bench, workflow, start, finish, statuses, repairs } = await heldWorkflow(1);
    await start();
    const parent = await bench.start(await bench.save([sub(workflow)]));
    await world.runUntilIdle();
    const third = await start();
    await project.api.post(`/v1/workflow-runs/${parent}/cancel`, {});
    await finish();
    const [child] = await childrenOf(project, parent);
    expect(await statuses(child.id, third)).toEqual(["pending", "running"]);
    expect(await repairs()).toBe(0);
  });
});

describe("a change of max_concurrent_runs", () => {
  it.each([null, 20])("1 → %s starts runs that are being blocked at that moment", async (max) => {
    const { bench, workflow, start, limit, proceed, statuses, slot, repairs } = await heldWorkflow(1);
    await start();
    const second = await bench.start(workflow);
    const gate = await holdRows(COUNTER, slot);
    const blocking = world.tick("start-due-workflow-runs");
    await gate.waiters(1);
    const changing = limit(max);
    await gate.waiters(2);
    await gate.release();
    await Promise.all([blocking, changing]);
    await proceed();
    expect(await statuses(second)).toEqual(["running"]);
    expect(await repairs()).toBe(0);
  });

  it("null → 1 counts the runs that started without a limit", async () => {
    const { start, limit, finish, proceed, statuses, repairs } = await heldWorkflow(null);
    const [first, second] = [await start(), await start()];
    await limit(1);
    const third = await start();
    expect(await statuses(first, second, third)).toEqual(["running", "running", "pending"]);
    await finish(0);
    await proceed();
    expect(await statuses(third)).toEqual(["pending"]);
    await finish(1);
    await proceed();
    expect(await statuses(first, second, third)).toEqual(["completed", "completed", "running"]);
    expect(await repairs()).toBe(0);
  });

  it("1 → null counts no run, so that no slot is left when the last one ends", async () => {
    const { start, limit, finish, slot } = await heldWorkflow(1);
    await start();
    await limit(null);
    await finish();
    const counters = "select active from concurrency_counters where project_id = $1 and key = $2";
    expect(await runSql(world.connection, counters, slot)).toEqual([{ active: 0 }]);
  });

  it("1 → null → 1 counts the runs that started meanwhile", async () => {
    const { start, limit, statuses, repairs } = await heldWorkflow(1);
    const first = await start();
    await limit(null);
    const second = await start();
    await limit(1);
    const third = await start();
    expect(await statuses(first, second, third)).toEqual(["running", "running", "pending"]);
    expect(await repairs()).toBe(0);
  });
});
