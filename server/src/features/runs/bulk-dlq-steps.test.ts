import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { runSql } from "../../../test/database.ts";
import { type SeedRun, seedRun } from "../../../test/seed-run.ts";
import { type WorkflowBench, workflowBench } from "../../../test/workflow-bench.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world.ts";
import { newId } from "../../platform/ids.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld();
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
    bench.answer(step_ref, () => (left-- > 0 ? { status: 422 } : undefined));
  }

  it("R10 is retried in its workflow, which goes on; a plain replay is 409", async () => {
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

  it("R10 beside others, by name: each in its own way, each with its item", async () => {
    failOnce("a");
    const { steps } = await bench.run(await bench.save([{ step_ref: "a" }]));
    const plain = await seed({ job_id: bench.job_id });
    const { body } = await order({ run_ids: [plain, steps.a.run_id] });
    await work();
    expect(
      (await itemsOf(body.id)).map(({ index, status }: { index: number; status: string }) => [index, status]),
    ).toEqual([
      [0, "succeeded"],
      [1, "succeeded"],
    ]);
    expect(await deadLetters()).toEqual([]);
  });

  it("R10 leaves the list when its step is retried by hand, and is then not done again", async () => {
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

  it("R10 of a map: all its failed items are retried with the first", async () => {
    const map = {
      step_ref: "m",
      type: "map",
      items: "{{payload.list}}",
      job_id: bench.job_id,
      tolerate_failures: true,
    };
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

  it("R10 of a workflow run that is gone fails with its reason", async () => {
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
