import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { endRun } from "../../../test/seed/end-run.ts";
import { makeJob, type TestJob } from "../../../test/world/queue-world.ts";
import { untilUp } from "../../../test/world/until-up.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";

let world: World;
let project: TestProject;
let job: TestJob;
beforeAll(async () => {
  world = await makeWorld();
  await untilUp([world]);
});
beforeEach(async () => {
  project = await world.project();
  job = await makeJob(project);
});

async function trigger(of: TestJob, body: object = {}): Promise<string> {
  const response = await project.api.post(`${of.path}/trigger`, body);
  expect(response.status).toBe(201);
  return response.body.id;
}

const statusOf = async (run_id: string) => (await project.api.get(`/v1/runs/${run_id}/dependency-status`)).body;

describe("GET /v1/runs/{runID}/dependency-status", () => {
  it("R12 shows the definitions, each dependency with its status, and whether the run is unblocked", async () => {
    const other = await makeJob(project);
    await project.api.put(`${job.path}/dependencies`, { dependencies: [{ job_id: other.id, condition: "ended" }] });
    const [named, found] = [await trigger(await makeJob(project)), await trigger(other)];
    const run_id = await trigger(job, { depends_on_run_ids: [named] });
    const before = await statusOf(run_id);
    expect(before).toMatchObject({ run_id, status: "pending", unblocked: false });
    expect(before.definitions).toMatchObject([{ job_id: other.id, condition: "ended" }]);
    expect(before.dependencies).toEqual([
      expect.objectContaining({
        run_id: named,
        source: "run",
        condition: "completed",
        status: "pending",
        state: "open",
      }),
      expect.objectContaining({ run_id: found, job_id: other.id, source: "job", condition: "ended", state: "open" }),
    ]);
    await endRun(world, named);
    await endRun(world, found, "failed");
    await world.tick("run-outbox");
    const after = await statusOf(run_id);
    expect(after.unblocked).toBe(true);
    expect(after.dependencies).toEqual([
      expect.objectContaining({ status: "completed", state: "satisfied", settled_at: expect.any(String) }),
      expect.objectContaining({ status: "failed", state: "satisfied" }),
    ]);
  });

  it("a dependency that can no longer be satisfied is failed, and the run is not unblocked", async () => {
    const first = await trigger(job);
    const run_id = await trigger(job, { depends_on_run_ids: [first] });
    await endRun(world, first, "failed");
    await world.tick("run-outbox");
    expect(await statusOf(run_id)).toMatchObject({
      status: "canceled",
      unblocked: false,
      dependencies: [{ run_id: first, status: "failed", state: "failed" }],
    });
  });

  it("a run without dependencies is unblocked; 404 for another project's", async () => {
    const run_id = await trigger(job);
    expect(await statusOf(run_id)).toMatchObject({ unblocked: true, definitions: [], dependencies: [] });
    expect((await (await world.project()).api.get(`/v1/runs/${run_id}/dependency-status`)).status).toBe(404);
  });

  it("a key of one environment cannot name a run of another", async () => {
    const environments: { id: string; slug: string }[] = (await project.api.get("/v1/environments")).body.data;
    const staging = environments.find(({ slug }) => slug === "staging");
    const bound = await project.newKey({ environment_id: staging?.id });
    const production = await trigger(job);
    const response = await bound.api.post(`${job.path}/trigger`, { depends_on_run_ids: [production] });
    expect(response.status).toBe(422);
    expect(response.body.errors[0].location).toBe("body.depends_on_run_ids[0]");
  });
});
