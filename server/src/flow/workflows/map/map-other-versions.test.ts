import { beforeAll, describe, expect, it } from "vitest";
import { mapOf } from "../../../../test/costs/map-bench.ts";
import { workflowBench } from "../../../../test/costs/workflow-bench.ts";
import { runSql } from "../../../../test/world/database.ts";
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

describe("a workflow with maps and sub-workflows", () => {
  it("W9 is planned, simulated, compared and drawn like any other", async () => {
    const { project, bench } = await aBench();
    const child = await bench.save([{ step_ref: "a" }]);
    const steps = (max_parallel: number) => [
      mapOf(bench, { max_parallel }),
      { step_ref: "sub", type: "sub_workflow", workflow_id: child, depends_on: ["m"] },
      { step_ref: "end", depends_on: ["sub"], condition: "size(payload.list) > 1", job_id: bench.job_id },
    ];
    const id = await bench.save(steps(3));
    const plan = (await project.api.post(`/v1/workflows/${id}/plan`, {})).body;
    expect(plan).toMatchObject({ is_valid: true, waves: [["m"], ["sub"], ["end"]] });
    const faulty = (await project.api.post(`/v1/workflows/${id}/plan`, { steps: [mapOf(bench, { max_parallel: 0 })] }))
      .body;
    expect(faulty.issues).toMatchObject([{ location: "body.steps[0].max_parallel" }]);

    const simulate = async (payload: object) =>
      (await project.api.post(`/v1/workflows/${id}/simulate`, { payload, outcomes: { m: { output: [] } } })).body
        .branches;
    expect(await simulate({ list: [1, 2] })).toMatchObject({ status: "completed", order: ["m", "sub", "end"] });
    const failed = await simulate({ list: "no" });
    expect(failed).toMatchObject({ status: "failed", order: [] });
    expect(failed.steps[0].error.code).toBe("items_not_a_list");

    const { body: first } = await project.api.get(`/v1/workflows/${id}`);
    const { body: second } = await project.api.patch(`/v1/workflows/${id}`, { steps: steps(9) });
    const { body: diff } = await project.api.get(
      `/v1/workflows/${id}/versions/${first.version_id}/diff/${second.version_id}`,
    );
    expect(diff.changed).toEqual([{ step_ref: "m", changes: [{ field: "max_parallel", old: 3, new: 9 }] }]);

    const { run } = await bench.run(id, { payload: { list: [1] } });
    const { body: graph } = await project.api.get(`/v1/workflow-runs/${run.id}/graph`);
    expect(graph.nodes.map((node: { type: string; status: string }) => [node.type, node.status])).toEqual([
      ["map", "completed"],
      ["sub_workflow", "completed"],
      ["job", "skipped"],
    ]);
    const { body: response } = await project.api.get(`/v1/workflow-runs/${run.id}/explain?step_ref=m`);
    expect(response.data.map((each: { reason: string }) => each.reason)).toEqual([
      "it depends on no other step; 1 of 1 items are pending",
      "all of its 1 items have ended",
    ]);

    const { body: shadow } = await project.api.post(`/v1/workflows/${id}/shadow`, { version: 1 });
    expect(shadow).toMatchObject({ runs: 1, differing: 0 });
    const { body: other } = await project.api.post(`/v1/workflows/${id}/shadow`, {
      steps: [mapOf(bench, { items: "{{payload.gone}}" }), ...steps(1).slice(1)],
    });
    expect(other).toMatchObject({ runs: 1, differing: 1 });
  });

  it("W11 is limited by the policy of its project", async () => {
    const { project, bench } = await aBench();
    await project.api.put(`/v1/workflow-policies/${project.id}`, { forbidden_step_types: ["map", "sub_workflow"] });
    const { status, body } = await project.api.post("/v1/workflows", { name: "W", steps: [mapOf(bench)] });
    expect([status, body.code]).toEqual([422, "policy_violated"]);
    expect(body.errors).toMatchObject([{ location: "body.steps[0].type" }]);
  });

  it("is exported with its items, and imported without a difference", async () => {
    const { project, bench } = await aBench();
    const map = mapOf(bench, { tolerate_failures: true, payload: { password: "{{item}}" } });
    const { run } = await bench.run(await bench.save([map]), { payload: { list: ["a", "b"] } });
    const exported = await project.api.get(`/v1/workflow-runs/${run.id}/capsule`);
    const capsule = JSON.parse(exported.text);
    expect(capsule.content.map_items).toMatchObject([
      { step_ref: "m", item_index: 0, status: "completed", item: "a" },
      { step_ref: "m", item_index: 1, status: "completed", item: "b" },
    ]);
    expect(capsule.content.job_runs.map((each: { step_ref: string }) => each.step_ref)).toEqual(["m[0]", "m[1]"]);
    const other = await world.project();
    const imported = await other.api.post("/v1/workflow-runs/capsules", capsule);
    expect(imported.status).toBe(201);
    expect((await other.api.get(`/v1/workflow-runs/capsules/${imported.body.id}`)).text).toBe(exported.text);
  });

  it("evaluates the new list when a run whose map will be retried is migrated to a version with another", async () => {
    const { project, bench } = await aBench();
    bench.onDispatch("m[0]", () => ({ status: 422 }));
    const id = await bench.save([mapOf(bench)]);
    const { run } = await bench.run(id, { payload: { list: [1, 2], more: [7, 8, 9] } });
    await project.api.patch(`/v1/workflows/${id}`, { steps: [mapOf(bench, { items: "{{payload.more}}" })] });
    // As if it had been paused between the retry and the start of the step.
    const both = runSql(
      world.connection,
      `with run as (
         update workflow_runs set prev_status = 'running', status = 'paused', error = null, finished_at = null,
           paused_at = clock() where project_id = $1 and id = $2)
       update step_runs set prev_status = status, status = 'pending', generation = 2, error = null, finished_at = null
       where project_id = $1 and workflow_run_id = $2`,
      [project.id, run.id],
    );
    await both;
    const { body } = await project.api.post(`/v1/workflows/${id}/migrate-runs`, { to_version: 2, dry_run: false });
    expect(body).toMatchObject({ results: [{ status: "migrated" }] });
    bench.onDispatch("m[0]", () => undefined);
    await project.api.post(`/v1/workflow-runs/${run.id}/resume`);
    await world.runUntilIdle();
    const after = await bench.read(run.id);
    expect(after.run.status).toBe("completed");
    expect(after.steps.m.output).toHaveLength(3);
  });
});

describe("retention of items", () => {
  it("removes them first, then their workflow run", async () => {
    const { project, bench } = await aBench();
    const { run } = await bench.run(await bench.save([mapOf(bench)]), { payload: { list: [1, 2, 3] } });
    const count = async () =>
      runSql(
        world.connection,
        `select (select count(*)::int from map_items where project_id = $1) as items,
           (select count(*)::int from map_steps where project_id = $1) as maps,
           (select count(*)::int from workflow_runs where project_id = $1) as runs`,
        [project.id],
      );
    expect(await count()).toEqual([{ items: 3, maps: 1, runs: 1 }]);
    await world.clock.pass("3000h");
    await world.tick("remove-old-rows");
    expect(await count()).toEqual([{ items: 0, maps: 1, runs: 1 }]);
    await world.tick("remove-old-rows");
    expect(await count()).toEqual([{ items: 0, maps: 0, runs: 0 }]);
    expect((await project.api.get(`/v1/workflow-runs/${run.id}`)).status).toBe(404);
  });
});
