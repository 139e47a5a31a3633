import { beforeAll, describe, expect, it } from "vitest";
import { echo, itemStatuses, itemsOf, mapOf, mapStepOf, upTo } from "../../../../test/costs/map-bench.ts";
import { workflowBench } from "../../../../test/costs/workflow-bench.ts";
import { makeFlowWorld } from "../../../../test/world/flow-world.ts";
import type { World } from "../../../../test/world/world.ts";

let world: World;
beforeAll(async () => {
  world = await makeFlowWorld();
});

async function aBench() {
  const project = await world.project();
  return { project, bench: await workflowBench(world, project) };
}

describe("a map step", () => {
  it("runs the job for each item, and outputs their results in the order of the list", async () => {
    const { project, bench } = await aBench();
    bench.endpoint.respondWith((dispatch, response) => {
      const { n } = dispatch.body.payload;
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ square: n * n }));
    });
    const after = { step_ref: "after", depends_on: ["m"], payload: { last: "{{parent_outputs.m.2.square}}" } };
    const map = mapOf(bench, { payload: { n: "{{item.n}}", at: "{{index}}", who: "{{payload.who.name}}" } });
    const list = [{ n: 3 }, { n: 4 }, { n: 5 }];
    const ran = await bench.run(await bench.save([map, after]), { payload: { list, who: { name: "ann" } } });
    expect(ran.run).toMatchObject({ status: "completed", error_count: 0 });
    expect(ran.steps.m.output).toEqual([{ square: 9 }, { square: 16 }, { square: 25 }]);
    const dispatched = bench.endpoint.dispatches.map(({ body }) => [body.step_ref, body.payload]);
    expect(Object.fromEntries(dispatched)).toMatchObject({
      "m[0]": { n: 3, at: 0, who: "ann" },
      "m[2]": { n: 5, at: 2, who: "ann" },
      after: { last: 25 },
    });
    expect((await mapStepOf(project, ran.run.id)).items).toEqual({
      total: 3,
      pending: 0,
      running: 0,
      completed: 3,
      failed: 0,
      canceled: 0,
    });
  });

  it("passes an item and its index to the job if the step has no payload, and nothing of the run's payload", async () => {
    const { bench } = await aBench();
    const ran = await bench.run(await bench.save([mapOf(bench, { max_parallel: 1 })]), {
      payload: { list: ["a", null], other: 1 },
    });
    expect(ran.run.status).toBe("completed");
    const payloads = bench.endpoint.dispatches.map(({ body }) => [body.payload, body.parent_outputs]);
    expect(payloads).toEqual([
      [{ item: "a", index: 0 }, {}],
      [{ item: null, index: 1 }, {}],
    ]);
  });

  it("takes the list from an earlier step, or as a literal", async () => {
    const { bench } = await aBench();
    bench.onDispatch("list", () => ({ body: { found: [1, 2] } }));
    const from = mapOf(bench, { items: "{{parent_outputs.list.found}}", depends_on: ["list"] });
    const written = { ...mapOf(bench, { items: ["{{payload.x}}", { y: "{{payload.x}}" }] }), step_ref: "w" };
    const ran = await bench.run(await bench.save([{ step_ref: "list" }, from, written]), { payload: { x: 7 } });
    expect(ran.run.status).toBe("completed");
    const payloads = bench.endpoint.dispatches.map(({ body }) => [body.step_ref, body.payload.item]);
    expect(Object.fromEntries(payloads)).toMatchObject({ "m[0]": 1, "m[1]": 2, "w[0]": 7, "w[1]": { y: 7 } });
  });

  it("completes with [] when the list is empty, and its dependents start", async () => {
    const { project, bench } = await aBench();
    const ran = await bench.run(await bench.save([mapOf(bench), { step_ref: "after", depends_on: ["m"] }]), {
      payload: { list: [] },
    });
    expect(ran.statuses).toEqual({ m: "completed", after: "completed" });
    expect(ran.steps.m.output).toEqual([]);
    expect((await mapStepOf(project, ran.run.id)).items.total).toBe(0);
  });

  it("runs no more than max_parallel at a time", async () => {
    const { bench } = await aBench();
    let [running, max] = [0, 0];
    bench.endpoint.respondWith(async (_, response) => {
      max = Math.max(max, ++running);
      await new Promise((resolve) => setTimeout(resolve, 5));
      running--;
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
    const ran = await bench.run(await bench.save([mapOf(bench, { max_parallel: 3 })]), { payload: { list: upTo(20) } });
    expect(ran.run.status).toBe("completed");
    expect(bench.endpoint.dispatches).toHaveLength(20);
    expect(max).toBeLessThanOrEqual(3);
  });

  it.each([
    ["not a list", { list: { a: 1 } }, "items_not_a_list", "items must render to a list, not an object"],
    ["null", { list: null }, "items_not_a_list", "items must render to a list, not null"],
    ["too long", { list: upTo(10_001) }, "too_many_items", "items has 10001 items; at most 10000 are allowed"],
    [
      "nothing",
      {},
      "template_path_missing",
      "items cannot be rendered: payload.list is missing: payload is an object without list",
    ],
  ])("fails when its list is %s", async (_, payload, code, message) => {
    const { bench } = await aBench();
    const ran = await bench.run(await bench.save([mapOf(bench)]), { payload });
    expect(ran.run.status).toBe("failed");
    expect(ran.steps.m.error).toEqual({ code, message });
    expect(bench.endpoint.dispatches).toEqual([]);
  });

  it("fails at once when its payload names a missing value", async () => {
    const { bench } = await aBench();
    const map = mapOf(bench, { payload: { a: "{{payload.gone}}", b: "{{item}}" } });
    const ran = await bench.run(await bench.save([map]), { payload: { list: [1] } });
    expect(ran.steps.m.error).toMatchObject({ code: "template_path_missing" });
  });

  it("fails when its outputs together exceed the size limit of a job's input", async () => {
    const { bench } = await aBench();
    bench.onDispatch("m[0]", () => ({ body: { text: "x".repeat(900_000) } }));
    for (const nth of upTo(5)) bench.onDispatch(`m[${nth}]`, () => ({ body: { text: "x".repeat(900_000) } }));
    const ran = await bench.run(await bench.save([mapOf(bench)]), { payload: { list: upTo(5) } });
    expect(ran.steps.m).toMatchObject({ status: "failed", error: { code: "output_too_large" }, output: null });
  });
});

describe("a failed item", () => {
  it("fails the step under its on_failure, and cancels items that have not started", async () => {
    const { project, bench } = await aBench();
    echo(bench, [0]);
    const map = mapOf(bench, { max_parallel: 1, on_failure: "continue" });
    const ran = await bench.run(await bench.save([map, { step_ref: "after", depends_on: ["m"] }]), {
      payload: { list: upTo(4) },
    });
    expect(ran.statuses).toEqual({ m: "failed", after: "completed" });
    expect(ran.run).toMatchObject({ status: "completed", error_count: 1 });
    expect(ran.steps.m.error.code).toBe("items_failed");
    expect(ran.steps.m.error.message).toMatch(/^1 of 4 items failed, first m\[0\]: /);
    expect(await itemStatuses(project, ran.run.id)).toEqual(["failed", "canceled", "canceled", "canceled"]);
    expect(bench.refs().filter((ref) => ref.startsWith("m["))).toEqual(["m[0]"]);
  });

  it("cancels the runs of the other items", async () => {
    const { project, bench } = await aBench();
    bench.onDispatch("m[1]", () => ({ status: 202 }));
    bench.onDispatch("m[0]", () => ({ status: 422 }));
    const ran = await bench.run(await bench.save([mapOf(bench)]), { payload: { list: upTo(2) } });
    expect(ran.run).toMatchObject({ status: "failed", error: { code: "step_failed" } });
    const [failed, canceled] = await itemsOf(project, ran.run.id);
    expect([failed.status, canceled.status]).toEqual(["failed", "canceled"]);
    const { body } = await project.api.get(`/v1/runs/${canceled.run_id}`);
    expect(body).toMatchObject({ status: "canceled", step_ref: "m[1]", trigger_type: "workflow" });
  });

  it.each([
    [true, "completed"],
    [2, "completed"],
    [1, "failed"],
    [0, "failed"],
  ])(
    "with tolerate_failures %s and two failures the step is %s, and failed items output null",
    async (tolerate_failures, status) => {
      const { project, bench } = await aBench();
      echo(bench, ["b", "d"]);
      const map = mapOf(bench, { tolerate_failures });
      const ran = await bench.run(await bench.save([map]), { payload: { list: ["a", "b", "c", "d"] } });
      expect(ran.steps.m.status).toBe(status);
      if (status === "failed") return;
      expect(ran.steps.m.output).toEqual([{ got: "a" }, null, { got: "c" }, null]);
      const failed = await itemsOf(project, ran.run.id, "&status=failed");
      expect(failed.map((item: { item_index: number }) => item.item_index)).toEqual([1, 3]);
      expect(failed[0].error.code).toBe("http_422");
    },
  );

  it("is one that its job refuses, or whose payload cannot be rendered; others continue", async () => {
    const { project, bench } = await aBench();
    const map = mapOf(bench, { tolerate_failures: true, max_parallel: 2, payload: { id: "{{item.id}}" } });
    const list = [...upTo(30).map(() => ({})), { id: 1 }, 5, { id: 2 }];
    const ran = await bench.run(await bench.save([map]), { payload: { list } });
    expect(ran.steps.m.status).toBe("completed");
    const ids = bench.endpoint.dispatches.map(({ body }) => body.payload.id);
    expect(ids.toSorted()).toEqual([1, 2]);
    const [first] = await itemsOf(project, ran.run.id);
    expect(first).toMatchObject({ status: "failed", run_id: null, error: { code: "template_path_missing" } });
    expect((await mapStepOf(project, ran.run.id)).items).toMatchObject({ completed: 2, failed: 31 });
  });

  it("ends a map whose items all fail before they start", async () => {
    const { bench } = await aBench();
    const map = mapOf(bench, { tolerate_failures: true, payload: { id: "{{item.id}}" } });
    const ran = await bench.run(await bench.save([map]), { payload: { list: upTo(1_100) } });
    expect(ran.run.status).toBe("completed");
    expect(ran.steps.m.output).toEqual(upTo(1_100).map(() => null));
  });

  it("is one whose run was canceled", async () => {
    const { project, bench } = await aBench();
    bench.onDispatch("m[0]", () => ({ status: 202 }));
    const id = await bench.start(await bench.save([mapOf(bench)]), { payload: { list: [1] } });
    await world.runUntilIdle();
    const [item] = await itemsOf(project, id);
    await project.api.post(`/v1/runs/${item.run_id}/cancel`);
    await world.runUntilIdle();
    expect((await itemsOf(project, id))[0]).toMatchObject({ status: "failed", error: { code: "run_canceled" } });
  });
});
