import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { childrenOf, itemStatuses, itemsOf as itemsOfMap, mapOf, sub } from "../../../../test/costs/map-bench.ts";
import { type WorkflowBench, workflowBench } from "../../../../test/costs/workflow-bench.ts";
import { endRun } from "../../../../test/seed/end-run.ts";
import { type SeedRun, seedRun } from "../../../../test/seed/seed-run.ts";
import { runSql } from "../../../../test/world/database.ts";
import { dyingInstance } from "../../../../test/world/dying-instance.ts";
import { makeFlowWorld } from "../../../../test/world/flow-world.ts";
import type { TestProject, World } from "../../../../test/world/world.ts";
import { progressRuns } from "../../../flow/workflows/progress/progress-runs.ts";
import { newId } from "../../../platform/ids.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeFlowWorld();
});
beforeEach(async () => {
  project = await world.project();
});

const DEAD = { status: "failed", is_dead_letter: true } as const;
const seed = (run: SeedRun = {}) => seedRun(world.connection, project.id, { ...DEAD, ...run });
const order = (body: object) => project.api.post("/v1/runs/bulk-dlq-replay", body);
const readBatch = async (id: string) => (await project.api.get(`/v1/batch-operations/${id}`)).body;
const itemsOf = async (id: string) => (await project.api.get(`/v1/batch-operations/${id}/items?limit=100`)).body.data;
const deadLetters = async () =>
  (await project.api.get("/v1/runs?dead_letter=true&limit=100")).body.data.map(({ id }: { id: string }) => id);

const processed = async () =>
  (await world.ctx.metrics.registry.getSingleMetric("svc_bulk_items_processed_total")?.get())?.values[0]?.value ?? 0;

async function work(): Promise<void> {
  while (await world.tick("work-on-batches"));
}

describe("a step's dead letter", () => {
  let bench: WorkflowBench;
  beforeEach(async () => {
    bench = await workflowBench(world, project);
  });

  function failOnce(step_ref: string): void {
    let left = 1;
    bench.onDispatch(step_ref, () => (left-- > 0 ? { status: 422 } : undefined));
  }

  it("R10 is retried in its workflow run, which continues; a plain replay returns 409", async () => {
    failOnce("a");
    const { run, steps } = await bench.run(await bench.save([{ step_ref: "a" }, { step_ref: "b", depends_on: ["a"] }]));
    const dead = steps.a.run_id;
    expect(await deadLetters()).toEqual([dead]);
    expect((await project.api.post(`/v1/runs/${dead}/replay`)).body.code).toBe("belongs_to_workflow");
    const { body } = await order({ filter: {} });
    await work();
    expect(await deadLetters()).toEqual([]);
    expect(await readBatch(body.id)).toMatchObject({ status: "completed", total: 1, succeeded: 1 });
    await world.runUntilIdle();
    const after = await bench.read(run.id);
    expect([after.run.status, after.statuses, after.steps.a.generation]).toEqual([
      "completed",
      { a: "completed", b: "completed" },
      2,
    ]);
    expect(bench.refs()).toEqual(["a", "a", "b"]);
  });

  it("R10 named together with other runs: each is retried or replayed and gets its item", async () => {
    failOnce("a");
    const { steps } = await bench.run(await bench.save([{ step_ref: "a" }]));
    const plain = await seed({ job_id: bench.job_id });
    const { body } = await order({ run_ids: [plain, steps.a.run_id] });
    const before = await processed();
    await work();
    expect((await processed()) - before).toBe(2);
    expect(
      (await itemsOf(body.id)).map(({ index, status }: { index: number; status: string }) => [index, status]),
    ).toEqual([
      [0, "succeeded"],
      [1, "succeeded"],
    ]);
    expect(await deadLetters()).toEqual([]);
  });

  it("R10 leaves the DLQ when its step is retried manually, and is not retried again", async () => {
    failOnce("a");
    const { run, steps } = await bench.run(await bench.save([{ step_ref: "a" }]));
    await project.api.post(`/v1/workflow-runs/${run.id}/steps/a/retry`);
    await world.runUntilIdle();
    expect(await deadLetters()).toEqual([]);
    const { body } = await order({ run_ids: [steps.a.run_id] });
    await work();
    expect(await readBatch(body.id)).toMatchObject({ status: "completed", skipped: 1 });
    await world.runUntilIdle();
    expect(bench.refs()).toEqual(["a", "a"]);
  });

  it("R10 leaves the DLQ when its step is skipped: replaying all dead letters does not undo the skip", async () => {
    bench.onDispatch("a", () => ({ status: 422 }));
    const { run } = await bench.run(await bench.save([{ step_ref: "a" }, { step_ref: "b", depends_on: ["a"] }]));
    await project.api.post(`/v1/workflow-runs/${run.id}/steps/a/skip`);
    await world.runUntilIdle();
    expect(await deadLetters()).toEqual([]);
    await order({ filter: {} });
    await work();
    await world.runUntilIdle();
    const after = await bench.read(run.id);
    expect([after.run.status, after.statuses]).toEqual(["completed", { a: "skipped", b: "completed" }]);
  });

  it("R10 of map items leave the DLQ when the map is skipped", async () => {
    for (const ref of ["m[0]", "m[1]"]) bench.onDispatch(ref, () => ({ status: 422 }));
    const { run } = await bench.run(await bench.save([mapOf(bench)]), { payload: { list: [0, 1] } });
    expect(await deadLetters()).not.toEqual([]);
    await project.api.post(`/v1/workflow-runs/${run.id}/steps/m/skip`);
    expect(await deadLetters()).toEqual([]);
  });

  it("R10 of an item that failed before its map was canceled leaves the DLQ with the others", async () => {
    const id = await bench.start(await bench.save([mapOf(bench)]), { payload: { list: [0, 1] } });
    await progressRuns(world.ctx, [{ project_id: project.id, workflow_run_id: id }]);
    const [{ run_id: dead }] = await itemsOfMap(project, id);
    const { ctx, die } = dyingInstance(world.ctx);
    await endRun(world, dead, "failed", ctx);
    die();
    await project.api.post(`/v1/workflow-runs/${id}/cancel`);
    await world.runUntilIdle();
    expect(await itemStatuses(project, id)).toEqual(["canceled", "canceled"]);
    expect(await deadLetters()).toEqual([dead]);
    const { body } = await order({ filter: {} });
    await work();
    expect(await readBatch(body.id)).toMatchObject({ status: "completed", succeeded: 1 });
    await world.runUntilIdle();
    expect((await bench.read(id)).run.status).toBe("completed");
    expect(await deadLetters()).toEqual([]);
  });

  it.each(["retry", "skip"])("R10 below a sub-workflow step leaves the DLQ after a %s of that step", async (verb) => {
    failOnce("in");
    const inner = await bench.save([{ step_ref: "in" }]);
    const outer = await bench.save([sub(await bench.save([sub(inner)])), { step_ref: "b", depends_on: ["sub"] }]);
    const { run } = await bench.run(outer);
    expect([run.status, (await deadLetters()).length]).toEqual(["failed", 1]);
    await project.api.post(`/v1/workflow-runs/${run.id}/steps/sub/${verb}`);
    await world.runUntilIdle();
    expect(await deadLetters()).toEqual([]);
    await order({ filter: {} });
    await work();
    await world.runUntilIdle();
    expect((await bench.read(run.id)).run.status).toBe("completed");
    expect(bench.refs()).toEqual(verb === "retry" ? ["in", "in", "b"] : ["in", "b"]);
  });

  it("R10 below a map item leaves the DLQ when the item is retried; below a completed item it stays", async () => {
    let isBroken = true;
    bench.onDispatch("in", ({ body }) => (isBroken && body.payload.item === 1 ? { status: 422 } : undefined));
    bench.onDispatch("soft", () => ({ status: 422 }));
    const soft = { step_ref: "soft", on_failure: "continue" };
    const child = await bench.save([soft, { step_ref: "in", depends_on: ["soft"] }]);
    const map = { step_ref: "m", type: "map", items: "{{payload.list}}", workflow_id: child, tolerate_failures: true };
    const { run } = await bench.run(await bench.save([map]), { payload: { list: [0, 1] } });
    const [kept, undone] = await childrenOf(project, run.id);
    const deadOf = async (id: string) =>
      (await project.api.get(`/v1/runs?dead_letter=true&workflow_run_id=${id}`)).body.data.length;
    expect([await deadOf(kept.id), await deadOf(undone.id)]).toEqual([1, 2]);
    isBroken = false;
    await project.api.post(`/v1/workflow-runs/${run.id}/steps/m/retry`);
    expect([await deadOf(kept.id), await deadOf(undone.id)]).toEqual([1, 0]);
  });

  it("R10 of a map: retrying the first item retries all failed items", async () => {
    const map = mapOf(bench, { tolerate_failures: true });
    for (const ref of ["m[0]", "m[2]"]) failOnce(ref);
    const { run } = await bench.run(await bench.save([map]), { payload: { list: [0, 1, 2] } });
    expect(await deadLetters()).toHaveLength(2);
    const { body } = await order({ filter: {} });
    await work();
    expect(await deadLetters()).toEqual([]);
    expect(await readBatch(body.id)).toMatchObject({ status: "completed", succeeded: 1, skipped: 1 });
    await world.runUntilIdle();
    const after = await bench.read(run.id);
    expect(after.steps.m.output).toEqual([{ step: "m[0]" }, { step: "m[1]" }, { step: "m[2]" }]);
    expect(bench.refs().toSorted()).toEqual(["m[0]", "m[0]", "m[1]", "m[2]", "m[2]"]);
  });

  it("R10 of a workflow run that no longer exists fails with its reason", async () => {
    const dead = await seed({ workflow_run_id: newId() });
    const { body } = await order({ filter: {} });
    await work();
    expect((await itemsOf(body.id))[0]).toMatchObject({
      target_id: dead,
      status: "failed",
      error: { code: "not_found" },
    });
    const [row] = await runSql(world.connection, "select dead_lettered_at from runs where id = $1", [dead]);
    expect(row?.dead_lettered_at).not.toBeNull();
  });
});
