import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { makeWorkflow, REST } from "../../../test/seed/make-workflow.ts";
import { deleteSchedules } from "../../../test/seed/schedules.ts";
import { seedJob } from "../../../test/seed/seed-run.ts";
import { runSql } from "../../../test/world/database.ts";
import { makeFlowWorld } from "../../../test/world/flow-world.ts";
import type { TestProject, World } from "../../../test/world/world.ts";
import { newId } from "../../platform/ids.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeFlowWorld();
});
beforeEach(async () => {
  await deleteSchedules(world);
  await world.clock.set("2030-01-01T12:00:30Z");
  project = await world.project();
});

async function scheduled(fields: object = {}, workflow: object = {}) {
  const { id: workflow_id, path: workflow_path } = await makeWorkflow(project, workflow);
  const created = await project.api.post("/v1/schedules", { workflow_id, cron: "* * * * *", ...fields });
  if (created.status !== 201) throw new Error(created.text);
  return { id: created.body.id as string, path: `/v1/schedules/${created.body.id}`, workflow_id, workflow_path };
}

async function fireAt(time: string) {
  await world.clock.set(`2030-01-01T${time}Z`);
  await world.tick("fire-schedules");
}

type RunRow = { id: string; status: string };
const runsOf = (schedule_id: string) =>
  runSql<RunRow>(world.connection, "select * from workflow_runs where schedule_id = $1 order by id", [schedule_id]);
const statusesOf = async (id: string) => (await runsOf(id)).map((run) => run.status);
const firesOf = (id: string) =>
  runSql(world.connection, "select outcome, run_id, reason from schedule_fires where schedule_id = $1 order by 1", [
    id,
  ]);

describe("a schedule of a workflow", () => {
  it("R16 is created with the workflow's id or slug, and returned with it", async () => {
    const { id: workflow_id } = await makeWorkflow(project, { slug: "nightly" });
    const created = await project.api.post("/v1/schedules", { workflow_id: "nightly", cron: "0 6 * * *" });
    expect([created.status, created.body]).toMatchObject([
      201,
      { workflow_id, job_id: null, is_default: false, next_fire_at: "2030-01-02T06:00:00.000Z" },
    ]);
    const { id: job_id } = await seedJob(world.connection, project.id);
    await project.api.post("/v1/schedules", { job_id, cron: "@daily" });
    const listed = async (query: string) => (await project.api.get(`/v1/schedules?${query}`)).body.data;
    expect(await listed("workflow_id=nightly")).toMatchObject([{ id: created.body.id }]);
    expect(await listed(`job_id=${job_id}`)).toMatchObject([{ job_id, workflow_id: null }]);
    expect(await listed("")).toHaveLength(2);
  });

  it("R16 422 for neither or both of job_id and workflow_id, and for an unknown workflow", async () => {
    const { id: workflow_id } = await makeWorkflow(project);
    const { id: job_id } = await seedJob(world.connection, project.id);
    const foreign = await makeWorkflow(await world.project());
    const place = async (fields: object) => {
      const { status, body } = await project.api.post("/v1/schedules", { cron: "@daily", ...fields });
      return [status, body.errors[0].location, body.errors[0].message];
    };
    expect(await place({})).toEqual([422, "body.job_id", "is required unless workflow_id is given"]);
    expect(await place({ job_id, workflow_id })).toEqual([
      422,
      "body.workflow_id",
      "cannot be given together with job_id",
    ]);
    for (const ref of [newId(), "nobody", foreign.id, job_id]) {
      expect(await place({ workflow_id: ref })).toEqual([422, "body.workflow_id", "is not a workflow of this project"]);
    }
  });

  it("R16 O7 GET, edit, PATCH works, and its target cannot be changed", async () => {
    const { path } = await scheduled();
    const read = (await project.api.get(path)).body;
    const edited = await project.api.patch(path, { ...read, name: "Nightly", payload: { a: 1 } });
    expect(edited.body).toMatchObject({ name: "Nightly", payload: { a: 1 }, workflow_id: read.workflow_id });
    const other = await makeWorkflow(project);
    expect((await project.api.patch(path, { workflow_id: other.id })).body.code).toBe("read_only_field");
  });

  it("R16 fires at its time: the run has its trigger type, schedule and payload", async () => {
    const { id, path, workflow_id } = await scheduled({ payload: { n: 1 } });
    await fireAt("12:00:59.999");
    expect(await runsOf(id)).toEqual([]);
    await fireAt("12:01:00");
    const [run, ...more] = await runsOf(id);
    expect(more).toEqual([]);
    const shown = (await project.api.get(`/v1/workflow-runs/${run?.id}`)).body;
    expect(shown).toMatchObject({
      workflow_id,
      schedule_id: id,
      trigger_type: "cron",
      created_by: `schedule:${id}`,
      created_by_id: null,
      payload: { n: 1 },
      scheduled_at: "2030-01-01T12:01:00.000Z",
    });
    expect((await project.api.get(path)).body).toMatchObject({
      last_run_id: run?.id,
      last_fired_at: "2030-01-01T12:01:00.000Z",
      next_fire_at: "2030-01-01T12:02:00.000Z",
    });
    await world.runUntilIdle();
    expect(await statusesOf(id)).toEqual(["running"]);
  });

  it("R16 fires each time once across three instances", async () => {
    const ids = await Promise.all(Array.from({ length: 5 }, async () => (await scheduled()).id));
    const instances = [world, await world.anotherInstance(), await world.anotherInstance()];
    const { fireSchedules } = await import("../../flow/schedules/fire-schedules.ts");
    for (const time of ["12:01:00", "12:02:00"]) {
      await world.clock.set(`2030-01-01T${time}Z`);
      await Promise.all(instances.map(({ ctx }) => fireSchedules(ctx)));
    }
    for (const id of ids) expect(await runsOf(id)).toHaveLength(2);
  });

  it("R16 W6 runs the version that is current when it fires, even while the workflow is being updated", async () => {
    const { id, workflow_path } = await scheduled();
    await world.clock.set("2030-01-01T12:01:00Z");
    const [changed] = await Promise.all([
      project.api.patch(workflow_path, { timeout_secs: 60 }),
      world.tick("fire-schedules"),
    ]);
    expect(changed.status).toBe(200);
    await world.tick("fire-schedules");
    expect(await runsOf(id)).toHaveLength(1);
    await fireAt("12:02:00");
    expect(await runsOf(id)).toMatchObject([{}, { version: 2 }]);
  });

  it("R16 records a rejected run, and the schedule continues", async () => {
    const { id, path, workflow_path } = await scheduled({}, { payload_schema: { type: "object", required: ["to"] } });
    await fireAt("12:01:00");
    expect(await firesOf(id)).toMatchObject([
      { outcome: "refused", reason: expect.stringContaining("body.payload.to") },
    ]);
    await project.api.patch(workflow_path, { payload_schema: null, enabled: false });
    await fireAt("12:02:00");
    await project.api.patch(workflow_path, { enabled: true });
    await fireAt("12:03:00");
    expect(await firesOf(id)).toMatchObject([{ outcome: "fired" }, { outcome: "refused" }, { outcome: "refused" }]);
    expect((await project.api.get(path)).body.next_fire_at).toBe("2030-01-01T12:04:00.000Z");
  });
});

describe("a workflow schedule that fires while one of its runs has not ended", () => {
  it("R16 allow: starts another", async () => {
    const { id } = await scheduled();
    await fireAt("12:01:00");
    await fireAt("12:02:00");
    expect(await runsOf(id)).toHaveLength(2);
  });

  it("R16 skip: starts none and records it, until the run has ended", async () => {
    const { id } = await scheduled({ overlap_policy: "skip" });
    await fireAt("12:01:00");
    await world.runUntilIdle();
    expect(await statusesOf(id)).toEqual(["running"]);
    await fireAt("12:02:00");
    expect(await firesOf(id)).toMatchObject([
      { outcome: "fired" },
      { outcome: "skipped", run_id: null, reason: "a run of the schedule had not ended" },
    ]);
    const [run] = await runsOf(id);
    await project.api.post(`/v1/workflow-runs/${run?.id}/cancel`);
    await fireAt("12:03:00");
    expect(await runsOf(id)).toHaveLength(2);
  });

  it("R16 cancel_running: cancels all of them, then starts the new one", async () => {
    const { id, path } = await scheduled({ overlap_policy: "cancel_running" });
    await fireAt("12:01:00");
    await world.runUntilIdle();
    await project.api.post(`${path}/run-now`);
    await fireAt("12:02:00");
    const runs = await runsOf(id);
    expect(runs.map((run) => run.status).slice(0, 2)).toEqual(["canceled", "canceled"]);
    expect(runs).toHaveLength(3);
    expect(runs[0]).toMatchObject({ error: { code: "overlap", message: expect.stringContaining("schedule") } });
    const steps = (await project.api.get(`/v1/workflow-runs/${runs[0]?.id}/steps`)).body.data;
    expect(steps).toMatchObject([{ step_ref: "rest", status: "canceled" }]);
  });
});

describe("run-now of a workflow's schedule", () => {
  it("R16 returns a workflow run with its trigger type, schedule, payload and caller", async () => {
    const { id, path, workflow_id } = await scheduled({ payload: { a: 1 }, paused: true });
    const run = await project.api.post(`${path}/run-now`);
    expect(run.status, run.text).toBe(201);
    expect(run.body).toMatchObject({
      $schema: `${world.url}/schemas/StartedRun.json`,
      workflow_id,
      schedule_id: id,
      trigger_type: "cron",
      created_by: "test key",
      created_by_id: project.key_id,
      payload: { a: 1 },
      version: 1,
    });
    expect((await project.api.get(path)).body.last_run_id).toBe(run.body.id);
    const { $schema: _, ...shown } = (await project.api.get(`/v1/workflow-runs/${run.body.id}`)).body;
    expect(Object.keys(run.body).toSorted()).toEqual(["$schema", ...Object.keys(shown)].toSorted());
    await world.runUntilIdle();
    expect(await statusesOf(id)).toEqual(["running"]);
  });

  it("R16 rejects what a trigger rejects", async () => {
    const { path, workflow_path } = await scheduled({}, { payload_schema: { type: "object", required: ["to"] } });
    expect((await project.api.post(`${path}/run-now`)).body.code).toBe("payload_invalid");
    await project.api.patch(workflow_path, { enabled: false });
    expect((await project.api.post(`${path}/run-now`)).body.code).toBe("workflow_disabled");
  });
});

describe("the default schedule of a workflow", () => {
  it("R16 is changed through the workflow, but paused and run by itself", async () => {
    const { id: workflow_id } = await makeWorkflow(project, { cron: "@hourly" });
    const [{ id }] = (await project.api.get(`/v1/schedules?workflow_id=${workflow_id}`)).body.data;
    const path = `/v1/schedules/${id}`;
    const refused = await project.api.patch(path, { cron: "@daily" });
    expect([refused.status, refused.body.errors[0].message]).toEqual([409, "can only be changed in the workflow"]);
    const kept = await project.api.delete(path);
    expect([kept.status, kept.body.detail]).toEqual([
      409,
      "This is the workflow's default schedule: set the workflow's cron to null.",
    ]);
    expect((await project.api.post(`${path}/pause`)).body.paused).toBe(true);
    expect((await project.api.post(`${path}/run-now`)).status).toBe(201);
    expect((await project.api.post(`${path}/resume`)).body.paused).toBe(false);
    await fireAt("13:00:00");
    expect(await runsOf(id)).toHaveLength(2);
  });
});

describe("access to a workflow's schedule", () => {
  it("A11 R16 also requires the scope of the workflow's own path", async () => {
    const { path, workflow_id } = await scheduled();
    const jobsOnly = (await project.newKey({ scopes: ["jobs:write", "jobs:trigger", "jobs:read"] })).api;
    const refused = [
      await jobsOnly.post("/v1/schedules", { workflow_id, cron: "@daily" }),
      await jobsOnly.patch(path, { name: "Mine" }),
      await jobsOnly.post(`${path}/pause`),
      await jobsOnly.post(`${path}/resume`),
      await jobsOnly.post(`${path}/run-now`),
      await jobsOnly.delete(path),
    ];
    expect(refused.map((response) => [response.status, response.body.code])).toEqual(
      refused.map(() => [403, "scope_missing"]),
    );
    expect((await jobsOnly.get(path)).status).toBe(200);
    const both = (await project.newKey({ scopes: ["jobs:trigger", "workflows:trigger"] })).api;
    expect((await both.post(`${path}/run-now`)).status).toBe(201);
  });

  it("A2 R16 a key bound to an environment sees its workflows' schedules, but not those of a workflow that runs elsewhere", async () => {
    const environment_id = (await project.api.get("/v1/environments/staging")).body.id;
    const { api } = await project.newKey({ environment_id });
    const own = await scheduled({}, { environment_id });
    const shared = await scheduled();
    expect((await api.get("/v1/schedules")).body.data).toMatchObject([{ id: own.id }]);
    expect((await api.get(shared.path)).status).toBe(404);
    expect((await api.post(`${own.path}/run-now`)).body.environment_id).toBe(environment_id);
    const elsewhere = await makeWorkflow(project, {
      environment_id: (await project.api.get("/v1/environments/production")).body.id,
      steps: [REST],
    });
    const refused = await api.post("/v1/schedules", { workflow_id: elsewhere.id, cron: "@daily" });
    expect([refused.status, refused.body.errors[0].location]).toEqual([422, "body.workflow_id"]);
  });
});
