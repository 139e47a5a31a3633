import { beforeAll, describe, expect, it } from "vitest";
import { childrenOf, sub, workflowRunStatus } from "../../../../test/costs/map-bench.ts";
import { workflowBench } from "../../../../test/costs/workflow-bench.ts";
import { runSql } from "../../../../test/world/database.ts";
import { makeFlowWorld } from "../../../../test/world/flow-world.ts";
import type { World } from "../../../../test/world/world.ts";
import { routesToTarget } from "../start/route-canary.ts";

let world: World;
beforeAll(async () => {
  world = await makeFlowWorld();
});

async function aBench() {
  const project = await world.project();
  return { project, bench: await workflowBench(world, project) };
}

describe("a sub_workflow step", () => {
  it("starts a run of the workflow, and completes with the outputs of its last steps", async () => {
    const { project, bench } = await aBench();
    bench.onDispatch("b", ({ body }) => ({ body: { sum: body.payload.x + body.payload.y } }));
    const child = await bench.save([
      { step_ref: "a" },
      { step_ref: "b", depends_on: ["a"] },
      { step_ref: "c", depends_on: ["a"], condition: "false" },
    ]);
    const after = { step_ref: "after", depends_on: ["sub"], payload: { got: "{{parent_outputs.sub.b.sum}}" } };
    const steps = [sub(child, { payload: { y: "{{payload.z}}" } }), after];
    const ran = await bench.run(await bench.save(steps), { payload: { x: 1, z: 41 }, tags: { team: "eu" } });
    expect(ran.statuses).toEqual({ sub: "completed", after: "completed" });
    expect(ran.steps.sub.output).toEqual({ b: { sum: 42 }, c: null });
    expect(bench.endpoint.dispatches.at(-1)?.body.payload).toMatchObject({ got: 42 });
    const [created, ...others] = await childrenOf(project, ran.run.id);
    expect(others).toEqual([]);
    expect(created).toMatchObject({
      id: ran.steps.sub.child_workflow_run_id,
      workflow_id: child,
      status: "completed",
      trigger_type: "workflow",
      created_by: `workflow_run:${ran.run.id}`,
      parent_workflow_run_id: ran.run.id,
      parent_step_ref: "sub",
      root_workflow_run_id: ran.run.id,
      routing_key: ran.run.id,
      depth: 1,
      payload: { x: 1, y: 41, z: 41 },
      tags: { team: "eu" },
    });
    expect(ran.run).toMatchObject({ parent_workflow_run_id: null, root_workflow_run_id: null, depth: 0 });
  });

  it("fails when its workflow run fails, under its on_failure", async () => {
    const { bench } = await aBench();
    bench.onDispatch("bad", () => ({ status: 422 }));
    const child = await bench.save([{ step_ref: "bad" }]);
    const steps = [sub(child, { on_failure: "continue" }), { step_ref: "after", depends_on: ["sub"] }];
    const ran = await bench.run(await bench.save(steps));
    expect(ran.statuses).toEqual({ sub: "failed", after: "completed" });
    expect(ran.steps.sub.error.code).toBe("child_failed");
    expect(ran.steps.sub.error.message).toMatch(/^The workflow run .* ended as failed: step bad failed/);
  });

  it("fails when its workflow run is canceled or times out", async () => {
    const { project, bench } = await aBench();
    const wait = { step_ref: "w", type: "wait_for_event", event_key: "never-{{payload.key}}" };
    const child = await bench.save([wait], { timeout_secs: 10 });
    const id = await bench.start(
      await bench.save(
        ["sub", "late"].map((key) => sub(child, { step_ref: key, on_failure: "continue", payload: { key } })),
      ),
    );
    await world.runUntilIdle();
    const [first] = await childrenOf(project, id);
    await project.api.post(`/v1/workflow-runs/${first.id}/cancel`);
    await world.runUntilIdle();
    await world.clock.pass("11s");
    await world.runUntilIdle();
    const { steps, run } = await bench.read(id);
    expect([steps.sub.error.code, steps.late.error.code]).toEqual(["child_canceled", "child_timed_out"]);
    expect(run).toMatchObject({ status: "completed", error_count: 2 });
  });

  it("takes the version that the canary of its own workflow gives to the root run of the chain", async () => {
    const { project, bench } = await aBench();
    const child = await bench.save([{ step_ref: "old" }]);
    await project.api.patch(`/v1/workflows/${child}`, {
      activate: false,
      steps: [{ step_ref: "new", job_id: bench.job_id }],
    });
    const { body: canary } = await project.api.post(`/v1/workflows/${child}/canary`, {
      target_version: 2,
      traffic_pct: 50,
    });
    const top = await bench.save([sub(await bench.save([sub(child), { step_ref: "late" }]))]);
    const seen = new Set<number>();
    for (let tries = 0; seen.size < 2 && tries < 40; tries++) {
      const { run } = await bench.run(top);
      const [middle] = await childrenOf(project, run.id);
      const [last] = await childrenOf(project, middle.id);
      expect(last.version).toBe(routesToTarget({ id: canary.id, traffic_pct: 50 }, run.id) ? 2 : 1);
      seen.add(last.version);
    }
    expect(seen.size).toBe(2);
  });

  it("waits for a slot of its workflow, as any other run", async () => {
    const { project, bench } = await aBench();
    const child = await bench.save([{ step_ref: "w", type: "wait_for_event", event_key: "{{payload.key}}" }], {
      max_concurrent_runs: 1,
    });
    const steps = ["a", "b"].map((key) => sub(child, { step_ref: key, payload: { key } }));
    const id = await bench.start(await bench.save(steps));
    await world.runUntilIdle();
    const children = await childrenOf(project, id);
    expect(children.map((run: { status: string }) => run.status).sort()).toEqual(["pending", "running"]);
    for (const key of ["a", "b"]) {
      await project.api.post(`/v1/events/${key}/send`, { payload: { key }, buffer_secs: 60 });
      await world.runUntilIdle();
    }
    await world.runUntilIdle();
    expect(await workflowRunStatus(project, id)).toBe("completed");
  });

  it("below a run of its own workflow, shares its slot: otherwise it would wait forever", async () => {
    const { project, bench } = await aBench();
    const own = await bench.save([{ step_ref: "a" }], { max_concurrent_runs: 1 });
    const between = await bench.save([sub(own)]);
    const again = { condition: "payload.left > 0", payload: { left: 0 } };
    await project.api.patch(`/v1/workflows/${own}`, {
      steps: [sub(own, { step_ref: "self", ...again }), sub(between, { step_ref: "other", ...again })],
    });
    const runs = await Promise.all([0, 1].map(() => bench.start(own, { payload: { left: 1 } })));
    const statuses = () => Promise.all(runs.map((id) => workflowRunStatus(project, id)));
    for (let level = 0; level < 8 && (await statuses()).some((status) => status !== "completed"); level++)
      await world.runUntilIdle();
    expect(await statuses()).toEqual(["completed", "completed"]);
    const counters = await runSql(
      world.connection,
      "select active from concurrency_counters where project_id = $1 and key = $2",
      [project.id, `workflow:${own}`],
    );
    expect(counters).toEqual([{ active: 0 }]);
  }, 60_000);

  it("fails when its workflow is disabled or refuses the payload", async () => {
    const { bench, project } = await aBench();
    const child = await bench.save([{ step_ref: "a" }], {
      payload_schema: { type: "object", required: ["id"] },
    });
    const refused = await bench.run(await bench.save([sub(child)]));
    expect(refused.steps.sub.error.code).toBe("payload_invalid");
    await project.api.patch(`/v1/workflows/${child}`, { enabled: false });
    const disabled = await bench.run(await bench.save([sub(child)]), { payload: { id: 1 } });
    expect(disabled.steps.sub.error.code).toBe("workflow_disabled");
  });

  it("uses the current workflow, though this instance has cached an older one", async () => {
    const { project, bench } = await aBench();
    const child = await bench.save([{ step_ref: "old" }]);
    const parent = await bench.save([sub(child)]);
    await bench.run(parent);
    const other = await world.anotherInstance();
    const { status } = await fetch(`${other.url}/v1/workflows/${child}`, {
      method: "PATCH",
      headers: { authorization: `Bearer ${project.key}`, "content-type": "application/json" },
      body: JSON.stringify({ steps: [{ step_ref: "new", job_id: bench.job_id }] }),
    });
    expect(status).toBe(200);
    const ran = await bench.run(parent);
    expect(ran.steps.sub.output).toEqual({ new: { step: "new" } });
    const orphans = await runSql(
      world.connection,
      `select step_ref from step_runs s where project_id = $1 and not exists (
         select 1 from workflow_runs w where w.project_id = s.project_id and w.id = s.workflow_run_id)`,
      [project.id],
    );
    expect(orphans).toEqual([]);
  });

  it("may start its own workflow, 32 levels deep", async () => {
    const { project, bench } = await aBench();
    const steps = [{ step_ref: "ok", type: "approval" }, sub("deep", { depends_on: ["ok"], on_failure: "continue" })];
    const { body } = await project.api.post("/v1/workflows", { name: "Deep", slug: "deep", steps });
    expect(body.steps[1].workflow_id).toBe(body.id);
    const approve = async (id: string) => {
      await project.api.post(`/v1/workflow-runs/${id}/steps/ok/approve`, {});
      await world.runUntilIdle();
    };
    const id = await bench.start(body.id);
    await approve(id);
    const [child] = await childrenOf(project, id);
    expect([child.workflow_id, child.depth]).toEqual([body.id, 1]);
    await runSql(world.connection, "update workflow_runs set depth = 31 where id = $1", [child.id]);
    await approve(child.id);
    const [last] = await childrenOf(project, child.id);
    expect([last.depth, last.root_workflow_run_id]).toEqual([32, id]);
    await approve(last.id);
    const { steps: ended, run } = await bench.read(last.id);
    expect(ended.sub.error).toEqual({
      code: "workflow_too_deep",
      message: "Sub-workflows can be nested at most 32 levels deep.",
    });
    await world.runUntilIdle();
    expect([run.status, await workflowRunStatus(project, id)]).toEqual(["completed", "completed"]);
  });
});

describe("a map over a workflow", () => {
  it("starts a run for each item, no more than max_parallel at a time", async () => {
    const { project, bench } = await aBench();
    bench.onDispatch("a", ({ body }) => ({ body: { got: body.payload.item } }));
    const child = await bench.save([{ step_ref: "a" }]);
    const map = { step_ref: "m", type: "map", items: "{{payload.list}}", workflow_id: child, max_parallel: 2 };
    const ran = await bench.run(await bench.save([map]), { payload: { list: [1, 2, 3, 4, 5] } });
    expect(ran.run.status).toBe("completed");
    expect(ran.steps.m.output).toEqual([1, 2, 3, 4, 5].map((got) => ({ a: { got } })));
    const children = await childrenOf(project, ran.run.id);
    expect(children.map((run: { parent_step_ref: string }) => run.parent_step_ref)).toEqual([
      "m[0]",
      "m[1]",
      "m[2]",
      "m[3]",
      "m[4]",
    ]);
    expect(await runSql(world.connection, "select kind from outbox where project_id = $1", [project.id])).toEqual([]);
  });

  it("cancels the runs of its items with it, and tolerates allowed failures", async () => {
    const { project, bench } = await aBench();
    const steps = [
      { step_ref: "w", type: "wait_for_event", event_key: "never-{{payload.item}}", condition: "payload.item != 0" },
      { step_ref: "bad", condition: "payload.item == 0" },
    ];
    bench.onDispatch("bad", () => ({ status: 422 }));
    const child = await bench.save(steps);
    const map = { step_ref: "m", type: "map", items: [0, 1, 2], workflow_id: child, tolerate_failures: 1 };
    const id = await bench.start(await bench.save([map]));
    await world.runUntilIdle();
    const statuses = async () => (await childrenOf(project, id)).map((run: { status: string }) => run.status);
    expect(await statuses()).toEqual(["failed", "running", "running"]);
    await project.api.post(`/v1/workflow-runs/${id}/cancel`);
    await world.runUntilIdle();
    expect(await statuses()).toEqual(["failed", "canceled", "canceled"]);
    const { body } = await project.api.get(`/v1/workflow-runs/${id}/steps/m/items`);
    expect(body.data.map((item: { status: string }) => item.status)).toEqual(["failed", "canceled", "canceled"]);
    expect(body.data[0].error.code).toBe("child_failed");
  });
});

describe("DELETE /v1/workflows/{workflowID}", () => {
  it("is refused while a step of another workflow starts it, but not for its own steps", async () => {
    const { project, bench } = await aBench();
    const child = await bench.save([{ step_ref: "a" }]);
    const parent = await bench.save([sub(child)], { name: "Parent" });
    const mapped = await bench.save([{ step_ref: "m", type: "map", items: [], workflow_id: child }], {
      name: "Mapped",
    });
    const { status, body } = await project.api.delete(`/v1/workflows/${child}`);
    expect([status, body.code]).toEqual([409, "workflow_in_use"]);
    expect(body.errors.map((error: { value: string }) => error.value).sort()).toEqual([parent, mapped].sort());
    for (const id of [parent, mapped]) expect((await project.api.delete(`/v1/workflows/${id}`)).status).toBe(204);
    await project.api.patch(`/v1/workflows/${child}`, { steps: [sub(child)] });
    expect((await project.api.delete(`/v1/workflows/${child}`)).status).toBe(204);
  });
});
