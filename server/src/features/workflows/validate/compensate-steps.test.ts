import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { finishStep, holdStep } from "../../../../test/seed/finish-step.ts";
import { makeSaga, type Saga } from "../../../../test/seed/saga.ts";
import { makeFlowWorld } from "../../../../test/world/flow-world.ts";
import type { World } from "../../../../test/world/world.ts";

let world: World;
let saga: Saga;
beforeAll(async () => {
  world = await makeFlowWorld();
});
beforeEach(async () => {
  saga = await makeSaga(world);
});

const create = (steps: object[]) => saga.project.api.post("/v1/workflows", { name: "Saga", steps });

describe("compensate_job_id", () => {
  it("is stored as the job's id, and null by default", async () => {
    const { project, bench, undo } = saga;
    const { body: job } = await project.api.get(`/v1/jobs/${undo}`);
    const { body } = await create([
      { step_ref: "a", job_id: bench.job_id, compensate_job_id: job.slug },
      { step_ref: "b", job_id: bench.job_id },
    ]);
    expect(body.steps.map((step: Record<string, unknown>) => step.compensate_job_id)).toEqual([undo, null]);
    const { body: again } = await project.api.patch(`/v1/workflows/${body.id}`, { steps: body.steps });
    expect(again.version).toBe(1);
  });

  it("is rejected if it is no job of the project", async () => {
    const response = await create([{ step_ref: "a", job_id: saga.bench.job_id, compensate_job_id: "nobody" }]);
    expect(response.status).toBe(422);
    expect(response.body.errors).toEqual([
      { location: "body.steps[0].compensate_job_id", message: "is not a job of this project", value: "nobody" },
    ]);
  });

  it.each([{ type: "sleep", sleep_duration: "1s" }, { type: "wait_for_event", event_key: "go" }, { type: "approval" }])(
    "is rejected on a $type step, with its location",
    async (step) => {
      const { undo } = saga;
      const response = await create([{ step_ref: "a", ...step, compensate_job_id: undo }]);
      expect(response.status).toBe(422);
      expect(response.body.errors).toEqual([
        {
          location: "body.steps[0].compensate_job_id",
          message: expect.stringMatching(/^is not a field of an? \w+ step$/),
          value: undo,
        },
      ]);
    },
  );

  it("is a changed field between two versions", async () => {
    const { project, bench, undo } = saga;
    const workflow = await bench.save([{ step_ref: "a" }]);
    const { body: first } = await project.api.get(`/v1/workflows/${workflow}`);
    const steps = [{ step_ref: "a", job_id: bench.job_id, compensate_job_id: undo }];
    const { body: second } = await project.api.patch(`/v1/workflows/${workflow}`, { steps });
    const versions = `${first.version_id}/diff/${second.version_id}`;
    const { body } = await project.api.get(`/v1/workflows/${workflow}/versions/${versions}`);
    expect(body.changed).toEqual([{ step_ref: "a", changes: [{ field: "compensate_job_id", old: null, new: undo }] }]);
  });

  it("is part of a simulation: which steps are compensated after a failure, and in which order", async () => {
    const { project, bench, steps } = saga;
    const workflow = await bench.save(steps());
    const simulate = async (outcomes: object) =>
      (await project.api.post(`/v1/workflows/${workflow}/simulate`, { payload: {}, outcomes })).body.branches;
    expect((await simulate({ ship: { status: "failed" } })).compensations).toEqual(["charge", "reserve"]);
    expect((await simulate({})).compensations).toEqual([]);
  });
});

describe("DELETE /v1/jobs/{jobID}", () => {
  it("409 for a job that compensates a step of a workflow", async () => {
    const { project, bench, undo, steps } = saga;
    await bench.save(steps());
    const response = await project.api.delete(`/v1/jobs/${undo}`);
    expect(response).toMatchObject({ status: 409, body: { code: "job_in_use" } });
    expect(response.body.errors[0].message).toContain("the job of a step, or its compensation");
  });
});

describe("POST /v1/workflows/{workflowID}/migrate-runs", () => {
  it("leaves a compensating run on its version", async () => {
    const { project, bench, failing, steps } = saga;
    failing("ship");
    holdStep(bench, "charge:compensate");
    const workflow = await bench.save(steps());
    const { run } = await bench.run(workflow);
    const { body: current } = await project.api.get(`/v1/workflows/${workflow}`);
    const { body: target } = await project.api.patch(`/v1/workflows/${workflow}`, {
      steps: current.steps,
      timeout_secs: 30,
    });
    const order = { to_version: target.version_id, workflow_run_ids: [run.id], dry_run: false };
    const { body } = await project.api.post(`/v1/workflows/${workflow}/migrate-runs`, order);
    expect(JSON.stringify(body)).toContain("compensating");
    const after = (await bench.read(run.id)).run;
    expect([after.version_id, after.deadline]).toEqual([run.version_id, null]);
    await finishStep(world, bench, "charge:compensate");
    await world.runUntilIdle();
    expect((await bench.read(run.id)).run.status).toBe("failed");
  });
});
