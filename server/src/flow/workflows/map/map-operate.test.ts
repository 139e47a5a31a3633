import { beforeAll, describe, expect, it } from "vitest";
import { echo, itemStatuses, itemsOf, mapOf, upTo } from "../../../../test/costs/map-bench.ts";
import { workflowBench } from "../../../../test/costs/workflow-bench.ts";
import { finishStep, holdStep } from "../../../../test/seed/finish-step.ts";
import { runSql } from "../../../../test/world/database.ts";
import { makeFlowWorld } from "../../../../test/world/flow-world.ts";
import type { World } from "../../../../test/world/world.ts";
import { retryDeadStep } from "../operate/retry-dead-step.ts";

let world: World;
beforeAll(async () => {
  world = await makeFlowWorld();
});

async function aBench() {
  const project = await world.project();
  return { project, bench: await workflowBench(world, project) };
}

describe("retrying a map", () => {
  it("W13 runs the failed items of a retried step, and keeps completed ones", async () => {
    const { project, bench } = await aBench();
    const failing = [1, 3];
    echo(bench, failing);
    const ran = await bench.run(await bench.save([mapOf(bench, { max_parallel: 4 })]), { payload: { list: upTo(4) } });
    expect(ran.run.status).toBe("failed");
    failing.length = 0;
    bench.endpoint.dispatches.length = 0;
    const kept = (await itemsOf(project, ran.run.id)).filter((item: { status: string }) => item.status === "completed");
    const { body } = await project.api.post(`/v1/workflow-runs/${ran.run.id}/steps/m/retry`);
    expect([body.status, body.generation]).toEqual(["pending", 2]);
    await world.runUntilIdle();
    const after = await bench.read(ran.run.id);
    expect(after.run.status).toBe("completed");
    expect(after.steps.m.output).toEqual(upTo(4).map((got) => ({ got })));
    expect(bench.refs()).toHaveLength(4 - kept.length);
    const items = await itemsOf(project, ran.run.id);
    for (const item of kept) expect(items[item.item_index]).toEqual(item);
    expect(items[1].generation).toBe(2);
  });

  it("W13 evaluates the list again when the subtree is replayed", async () => {
    const { project, bench } = await aBench();
    let found = [1, 2];
    bench.onDispatch("list", () => ({ body: found }));
    const map = mapOf(bench, { items: "{{parent_outputs.list}}", depends_on: ["list"] });
    const ran = await bench.run(await bench.save([{ step_ref: "list" }, map]));
    expect(ran.steps.m.output).toHaveLength(2);
    found = [7];
    await project.api.post(`/v1/workflow-runs/${ran.run.id}/steps/list/replay-subtree`);
    await world.runUntilIdle();
    const after = await bench.read(ran.run.id);
    expect(after.run.status).toBe("completed");
    expect([after.steps.m.output.length, after.steps.m.generation]).toEqual([1, 2]);
    expect(await itemsOf(project, ran.run.id)).toMatchObject([{ item: 7, generation: 2, status: "completed" }]);
  });

  it("retries all failed items when the dead letter of one of them is replayed", async () => {
    const { project, bench } = await aBench();
    const failing = [0, 2];
    echo(bench, failing);
    const map = mapOf(bench, { tolerate_failures: true });
    const { run } = await bench.run(await bench.save([map]), { payload: { list: upTo(3) } });
    failing.length = 0;
    const [first, , third] = await itemsOf(project, run.id);
    const dead = { project_id: project.id, workflow_run_id: run.id, run_id: third.run_id };
    await retryDeadStep(world.ctx, dead, { id: null, name: "test" }, async () => {});
    await world.runUntilIdle();
    expect((await bench.read(run.id)).steps.m.output).toEqual(upTo(3).map((got) => ({ got })));
    const { body } = await project.api.get(`/v1/runs/${first.run_id}`);
    expect([body.status, body.dead_lettered_at]).toEqual(["failed", null]);
  });

  it("cancels running items on a replay, whose late results change nothing", async () => {
    const { project, bench } = await aBench();
    for (const ref of ["m[0]", "m[1]"]) bench.onDispatch(ref, () => ({ status: 202 }));
    const id = await bench.start(await bench.save([mapOf(bench)]), { payload: { list: upTo(2) } });
    await world.runUntilIdle();
    const before = await itemsOf(project, id);
    await project.api.post(`/v1/workflow-runs/${id}/steps/m/replay-subtree`);
    await world.runUntilIdle();
    const old = await runSql<{ status: string }>(world.connection, "select status from runs where id = any($1)", [
      before.map((item: { run_id: string }) => item.run_id),
    ]);
    expect(old).toEqual([{ status: "canceled" }, { status: "canceled" }]);
    const items = await itemsOf(project, id);
    expect(items).toMatchObject([
      { status: "running", generation: 2 },
      { status: "running", generation: 2 },
    ]);
    expect(items[0].run_id).not.toBe(before[0].run_id);
  });

  it("continues with the rest when a canceled workflow run is retried", async () => {
    const { project, bench } = await aBench();
    bench.onDispatch("m[1]", () => ({ status: 202 }));
    const id = await bench.start(await bench.save([mapOf(bench, { max_parallel: 1 })]), { payload: { list: upTo(3) } });
    await world.runUntilIdle();
    expect(await itemStatuses(project, id)).toEqual(["completed", "running", "pending"]);
    await project.api.post(`/v1/workflow-runs/${id}/cancel`);
    await world.runUntilIdle();
    expect(await itemStatuses(project, id)).toEqual(["completed", "canceled", "canceled"]);
    bench.onDispatch("m[1]", () => undefined);
    await project.api.post(`/v1/workflow-runs/${id}/retry`);
    await world.runUntilIdle();
    const after = await bench.read(id);
    expect(after.run.status).toBe("completed");
    expect(bench.refs()).toEqual(["m[0]", "m[1]", "m[1]", "m[2]"]);
  });
});

describe("operating a workflow run with a map", () => {
  async function held(fields: object = {}) {
    const { project, bench } = await aBench();
    bench.onDispatch("m[1]", () => ({ status: 202 }));
    const workflow = await bench.save([mapOf(bench, { max_parallel: 1 })], fields);
    const id = await bench.start(workflow, { payload: { list: upTo(3) } });
    await world.runUntilIdle();
    const [, { run_id }] = await itemsOf(project, id);
    const runStatus = async () => (await project.api.get(`/v1/runs/${run_id}`)).body.status;
    return { project, bench, id, run_id, runStatus };
  }

  it("cancel ends the items and their runs", async () => {
    const { project, id, runStatus } = await held();
    const { body } = await project.api.post(`/v1/workflow-runs/${id}/cancel`);
    expect(body.status).toBe("canceled");
    await world.runUntilIdle();
    expect(await runStatus()).toBe("canceled");
    expect(await itemStatuses(project, id)).toEqual(["completed", "canceled", "canceled"]);
  });

  it("a timeout ends the items and their runs", async () => {
    const { project, id, runStatus } = await held({ timeout_secs: 10 });
    await world.clock.pass("11s");
    await world.runUntilIdle();
    expect((await project.api.get(`/v1/workflow-runs/${id}`)).body.status).toBe("timed_out");
    expect(await runStatus()).toBe("canceled");
    expect(await itemStatuses(project, id)).toEqual(["completed", "canceled", "canceled"]);
  });

  it("skip ends the step, with its items and their runs", async () => {
    const { project, bench, id, runStatus } = await held();
    await project.api.post(`/v1/workflow-runs/${id}/steps/m/skip`, {});
    await world.runUntilIdle();
    expect((await bench.read(id)).run.status).toBe("completed");
    expect(await runStatus()).toBe("canceled");
    expect(await itemStatuses(project, id)).toEqual(["completed", "canceled", "canceled"]);
  });

  it("cancel waits for running items if compensation comes first, and starts no other", async () => {
    const { project, bench } = await aBench();
    holdStep(bench, "m[0]");
    const first = { step_ref: "first", compensate_job_id: bench.job_id };
    const map = mapOf(bench, { max_parallel: 1, depends_on: ["first"] });
    const { run } = await bench.run(await bench.save([first, map]), { payload: { list: upTo(3) } });
    await project.api.post(`/v1/workflow-runs/${run.id}/cancel`);
    // It completes all the same, but the step has not: two of its items never started.
    await finishStep(world, bench, "m[0]");
    await world.runUntilIdle();
    const after = await bench.read(run.id);
    expect([after.run.status, after.statuses.m]).toEqual(["canceled", "canceled"]);
    expect(await itemStatuses(project, run.id)).toEqual(["completed", "canceled", "canceled"]);
    expect(bench.refs()).toEqual(["first", "m[0]", "first:compensate"]);
  });

  it("pause starts no further item, and resume applies the results of those that ended meanwhile", async () => {
    const { project, bench, id, run_id } = await held();
    await project.api.post(`/v1/workflow-runs/${id}/pause`);
    await project.api.post(`/v1/runs/${run_id}/cancel`);
    await world.runUntilIdle();
    expect(await itemStatuses(project, id)).toEqual(["completed", "running", "pending"]);
    await project.api.post(`/v1/workflow-runs/${id}/resume`);
    await world.runUntilIdle();
    expect((await bench.read(id)).steps.m.error.message).toMatch(/first m\[1\]: run_canceled/);
  });
});

describe("GET /v1/workflow-runs/{workflowRunID}/steps/{stepRef}/items", () => {
  it("returns pages in the order of the list, of one status or several", async () => {
    const { project, bench } = await aBench();
    echo(bench, [2, 5]);
    const { run } = await bench.run(await bench.save([mapOf(bench, { tolerate_failures: true }), { step_ref: "b" }]), {
      payload: { list: upTo(7) },
    });
    const path = `/v1/workflow-runs/${run.id}/steps/m/items`;
    const first = (await project.api.get(`${path}?limit=3`)).body;
    const second = (await project.api.get(`${path}?limit=3&cursor=${first.next_cursor}`)).body;
    const indexes = ({ data }: { data: { item_index: number }[] }) => data.map((item) => item.item_index);
    expect([indexes(first), indexes(second), second.has_more]).toEqual([[0, 1, 2], [3, 4, 5], true]);
    expect(indexes((await project.api.get(`${path}?status=failed`)).body)).toEqual([2, 5]);
    expect(indexes((await project.api.get(`${path}?status=failed,running&order=desc`)).body)).toEqual([5, 2]);
    const other = await project.api.get(`/v1/workflow-runs/${run.id}/steps/b/items`);
    expect([other.status, other.body.data]).toEqual([200, []]);
    expect((await project.api.get(`/v1/workflow-runs/${run.id}/steps/gone/items`)).status).toBe(404);
    expect((await project.api.get(`${path}?status=lost`)).status).toBe(422);
  });
});
