import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { endRun } from "../../../../test/seed/end-run.ts";
import { runningRun } from "../../../../test/seed/running-run.ts";
import { runSql } from "../../../../test/world/database.ts";
import { makeJob, type TestJob } from "../../../../test/world/queue-world.ts";
import { untilUp } from "../../../../test/world/until-up.ts";
import { makeWorld, type TestProject, type World } from "../../../../test/world/world.ts";
import { newId } from "../../../platform/ids.ts";
import { findCycle } from "./dependency-routes.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld();
  await untilUp([world]);
});
beforeEach(async () => {
  project = await world.project();
});

const put = (job: TestJob, dependencies: unknown) => project.api.put(`${job.path}/dependencies`, { dependencies });

async function trigger(job: TestJob, body: object = {}) {
  const response = await project.api.post(`${job.path}/trigger`, body);
  expect(response.status).toBe(201);
  return response.body.id as string;
}

async function blockedOn(run_id: string): Promise<string | null | undefined> {
  const [row] = await runSql<{ blocked_on: string | null }>(
    world.connection,
    "select blocked_on from run_queue where run_id = $1",
    [run_id],
  );
  return row?.blocked_on;
}

const statusOf = async (run_id: string) => (await project.api.get(`/v1/runs/${run_id}`)).body;
const dependenciesOf = async (run_id: string) => (await project.api.get(`/v1/runs/${run_id}/dependency-status`)).body;

describe("PUT /v1/jobs/{jobID}/dependencies", () => {
  it("replaces all, by id or slug, with `completed` as default, and is audited", async () => {
    const [job, first, second] = [await makeJob(project), await makeJob(project), await makeJob(project)];
    const slug = (await project.api.get(second.path)).body.slug;
    const response = await put(job, [{ job_id: first.id }, { job_id: slug, condition: "ended" }]);
    expect(response.status).toBe(200);
    expect(response.body).toMatchObject({ job_id: job.id });
    expect(response.body.dependencies).toHaveLength(2);
    expect(response.body.dependencies).toContainEqual(
      expect.objectContaining({ job_id: first.id, condition: "completed" }),
    );
    expect(response.body.dependencies).toContainEqual({ job_id: second.id, job_slug: slug, condition: "ended" });
    expect((await put(job, [])).body.dependencies).toEqual([]);
    const audit = await runSql(
      world.connection,
      "select 1 from audit_events where resource_id = $1 and action = 'job.dependencies_changed'",
      [job.id],
    );
    expect(audit).toHaveLength(2);
  });

  it("422 with the location for an unknown job, one of another project, one named twice, and more than 100", async () => {
    const [job, other] = [await makeJob(project), await makeJob(project)];
    const foreign = await makeJob(await world.project());
    for (const id of [newId(), foreign.id, "no-such-job"]) {
      const response = await put(job, [{ job_id: other.id }, { job_id: id }]);
      expect(response.status).toBe(422);
      expect(response.body.errors[0]).toMatchObject({ location: "body.dependencies[1].job_id", value: id });
    }
    expect((await put(job, [{ job_id: other.id }, { job_id: other.id }])).status).toBe(422);
    expect((await put(job, Array(101).fill({ job_id: other.id }))).status).toBe(422);
    expect((await put(job, [{ job_id: other.id, condition: "started" }])).status).toBe(422);
    expect((await put(foreign, [])).status).toBe(404);
  });

  it("accepts the GET response in any order, and rejects a slug that does not match the job", async () => {
    const [job, first, second] = [await makeJob(project), await makeJob(project), await makeJob(project)];
    const { dependencies } = (await put(job, [{ job_id: first.id }, { job_id: second.id }])).body;
    const { updated_at } = (await project.api.get(job.path)).body;
    await world.clock.pass("1m");
    expect((await put(job, dependencies.toReversed())).body.dependencies).toEqual(dependencies);
    expect((await project.api.get(job.path)).body.updated_at).toBe(updated_at);
    const renamed = await put(job, [dependencies[0], { ...dependencies[1], job_slug: "other" }]);
    expect([renamed.status, renamed.body.code]).toEqual([422, "read_only_field"]);
    expect(renamed.body.errors).toMatchObject([{ location: "body.dependencies[1].job_slug", value: "other" }]);
    expect((await put(job, [{ ...dependencies[0], slug: "x" }])).body.code).toBe("validation_failed");
  });

  it("rejects a cycle with its path, and the job itself", async () => {
    const [a, b, c] = [await makeJob(project), await makeJob(project), await makeJob(project)];
    await put(a, [{ job_id: b.id }]);
    await put(b, [{ job_id: c.id }]);
    const slugs = await Promise.all([a, b, c].map(async ({ path }) => (await project.api.get(path)).body.slug));
    const response = await put(c, [{ job_id: a.id }]);
    expect(response.status).toBe(422);
    expect(response.body).toMatchObject({ code: "dependency_cycle" });
    expect(response.body.errors[0].location).toBe("body.dependencies[0].job_id");
    expect(response.body.detail).toContain([slugs[2], slugs[0], slugs[1], slugs[2]].join(" → "));
    expect((await put(a, [{ job_id: a.id }])).body).toMatchObject({ code: "dependency_cycle" });
    expect((await project.api.get(`${c.path}/dependencies`)).body.dependencies).toEqual([]);
  });

  it("rejects one of two concurrent changes that together close a cycle", async () => {
    for (let round = 0; round < 5; round++) {
      const [a, b] = [await makeJob(project), await makeJob(project)];
      const responses = await Promise.all([put(a, [{ job_id: b.id }]), put(b, [{ job_id: a.id }])]);
      expect(responses.map((response) => response.status).toSorted()).toEqual([200, 422]);
    }
  });

  it("finds the shortest cycle, and none where there is none", () => {
    const edges = (pairs: Record<string, string[]>) => new Map(Object.entries(pairs));
    expect(findCycle("a", edges({ a: ["b", "c"], b: ["c"], c: ["d"], d: ["e"] }))).toBeUndefined();
    expect(findCycle("a", edges({ a: ["b", "c"], b: ["d"], c: ["a"], d: ["a"] }))).toEqual(["a", "c", "a"]);
    expect(findCycle("a", edges({ a: ["b"], b: ["c"], c: ["b"] }))).toBeUndefined();
  });
});

describe("GET /v1/jobs/{jobID}/dependencies", () => {
  it("is empty at first; 404 for one of another project; omits deleted jobs", async () => {
    const [job, other] = [await makeJob(project), await makeJob(project)];
    expect((await project.api.get(`${job.path}/dependencies`)).body).toMatchObject({
      job_id: job.id,
      dependencies: [],
    });
    expect((await (await world.project()).api.get(`${job.path}/dependencies`)).status).toBe(404);
    await put(job, [{ job_id: other.id }]);
    await trigger(other);
    expect((await project.api.delete(other.path)).status).toBe(204);
    expect(await blockedOn(await trigger(job))).toBeNull();
    expect((await project.api.get(`${job.path}/dependencies`)).body.dependencies).toEqual([]);
  });
});

describe("a new run of a job with dependencies", () => {
  it("waits for the newest run of the other job that is active when it is created", async () => {
    const [job, other] = [await makeJob(project), await makeJob(project)];
    await put(job, [{ job_id: other.id }]);
    const older = await trigger(other);
    const ended = await trigger(other);
    await endRun(world, ended);
    const newest = await trigger(other);
    await project.api.post(`/v1/runs/${newest}/cancel`, {});
    const run = await trigger(job);
    expect(await blockedOn(run)).toBe("dependency");
    const status = await dependenciesOf(run);
    expect(status.dependencies).toMatchObject([
      { run_id: older, source: "job", condition: "completed", state: "open" },
    ]);
    await trigger(other);
    expect((await dependenciesOf(run)).dependencies).toHaveLength(1);
    await endRun(world, older);
    await world.tick("run-outbox");
    expect(await blockedOn(run)).toBeNull();
  });

  it("starts at once if none is active; waiting and paused runs count as active", async () => {
    const [job, other] = [await makeJob(project), await makeJob(project)];
    await put(job, [{ job_id: other.id }]);
    expect(await blockedOn(await trigger(job))).toBeNull();
    const paused = await trigger(other);
    await project.api.post(`/v1/runs/${paused}/pause`);
    expect(await blockedOn(await trigger(job))).toBe("dependency");
  });

  it("considers only the environment of the new run", async () => {
    const [job, other] = [await makeJob(project), await makeJob(project)];
    await put(job, [{ job_id: other.id }]);
    await trigger(other, { environment_id: "staging" });
    expect(await blockedOn(await trigger(job))).toBeNull();
    expect(await blockedOn(await trigger(job, { environment_id: "staging" }))).toBe("dependency");
  });

  it("continues under `ended` however the other run ends, and is canceled under `completed` if it fails", async () => {
    const [job, strict, other] = [await makeJob(project), await makeJob(project), await makeJob(project)];
    await put(job, [{ job_id: other.id, condition: "ended" }]);
    await put(strict, [{ job_id: other.id, condition: "completed" }]);
    const first = await trigger(other);
    const [patient, picky] = [await trigger(job), await trigger(strict)];
    await endRun(world, first, "failed");
    await world.tick("run-outbox");
    expect(await blockedOn(patient)).toBeNull();
    expect(await statusOf(picky)).toMatchObject({ status: "canceled", error: { code: "dependency_failed" } });
  });

  it("also waits if a schedule or a replay creates it, but not if a run spawns it", async () => {
    const [job, other] = [await makeJob(project), await makeJob(project)];
    const run = await trigger(job);
    await endRun(world, run);
    await put(job, [{ job_id: other.id }]);
    await trigger(other);
    const replay = await project.api.post(`/v1/runs/${run}/replay`, {});
    expect(await blockedOn(replay.body.id)).toBe("dependency");
    const schedule = await project.api.post("/v1/schedules", { name: "Daily", job_id: job.id, cron: "@daily" });
    const fired = await project.api.post(`/v1/schedules/${schedule.body.id}/run-now`);
    expect(await blockedOn(fired.body.id ?? fired.body.run_id)).toBe("dependency");
    // It would wait for its own parent, which may wait for it.
    const parent = await runningRun(world, project, { job_id: other.id });
    const spawned = await parent.sdk.post("/spawn", { job_id: job.id });
    expect(await blockedOn(spawned.body.id ?? spawned.body.run_id)).toBeNull();
  });
});
