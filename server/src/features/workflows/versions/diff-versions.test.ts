import { beforeAll, describe, expect, it } from "vitest";
import { makeWorkflow, REST } from "../../../../test/seed/make-workflow.ts";
import { seedWorkflowRun } from "../../../../test/seed/seed-workflow-run.ts";
import { makeWorld, type TestProject, type World } from "../../../../test/world/world.ts";
import { newId } from "../../../platform/ids.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld();
  project = await world.project();
});

const OTHER = { steps: [{ ...REST, step_ref: "other" }] };

/** A workflow with two versions. */
async function twoVersions(change: object = OTHER) {
  const first = await makeWorkflow(project);
  const { body } = await project.api.patch(first.path, change);
  return { ...first, second: { id: first.id, version_id: body.version_id as string, steps: body.steps } };
}

describe("GET /v1/workflows/{workflowID}/versions/{fromVersionID}/diff/{toVersionID}", () => {
  it("W9 lists added and removed steps, changed fields and changed settings", async () => {
    const steps = [
      { ...REST, sleep_duration: "2h" },
      { ...REST, step_ref: "new" },
    ];
    const { path, id, version_id, second } = await twoVersions({ steps, timeout_secs: 60 });
    const { status, body } = await project.api.get(`${path}/versions/${version_id}/diff/${second.version_id}`);
    expect(status).toBe(200);
    expect(body).toEqual({
      $schema: expect.any(String),
      workflow_id: id,
      from_version_id: version_id,
      from_version: 1,
      to_version_id: second.version_id,
      to_version: 2,
      added: ["new"],
      removed: [],
      changed: [{ step_ref: "rest", changes: [{ field: "sleep_duration", old: "1h", new: "2h" }] }],
      changed_settings: [{ field: "timeout_secs", old: null, new: 60 }],
    });
  });

  it("W9 is the opposite in the other direction, and empty between a version and itself", async () => {
    const { path, version_id, second } = await twoVersions();
    const back = (await project.api.get(`${path}/versions/${second.version_id}/diff/${version_id}`)).body;
    expect([back.added, back.removed]).toEqual([["rest"], ["other"]]);
    const same = (await project.api.get(`${path}/versions/${version_id}/diff/${version_id}`)).body;
    expect([same.added, same.removed, same.changed, same.changed_settings]).toEqual([[], [], [], []]);
  });

  it("404 for a version of another workflow, on either side, and for another project's", async () => {
    const { path, version_id } = await makeWorkflow(project);
    const { version_id: foreign } = await makeWorkflow(project);
    for (const pair of [`${foreign}/diff/${version_id}`, `${version_id}/diff/${foreign}`, `${newId()}/diff/1`]) {
      expect((await project.api.get(`${path}/versions/${pair}`)).status).toBe(404);
    }
    const other = await world.project();
    expect((await other.api.get(`${path}/versions/${version_id}/diff/${version_id}`)).status).toBe(404);
  });
});

describe("GET /v1/workflows/{workflowID}/versions/{versionID}/impact", () => {
  it("W9 counts how many runs were sampled, and how many of them are on the version", async () => {
    const { path, id, version_id, steps, second } = await twoVersions();
    const first = { id, version_id, steps };
    for (const status of ["running", "completed", "failed"] as const) {
      await seedWorkflowRun(world.connection, project.id, { workflow: first, status });
    }
    await seedWorkflowRun(world.connection, project.id, { workflow: second });
    const impact = async (version: string) => (await project.api.get(`${path}/versions/${version}/impact`)).body;
    expect(await impact(version_id)).toMatchObject({
      workflow_id: id,
      version_id,
      version: 1,
      sampled_runs: 4,
      matching_runs: 3,
      active_matching_runs: 1,
    });
    expect(await impact(second.version_id)).toMatchObject({ sampled_runs: 4, matching_runs: 1 });
  });

  it("W9 is zero of zero for a workflow without runs", async () => {
    const { path, version_id } = await makeWorkflow(project);
    const { body } = await project.api.get(`${path}/versions/${version_id}/impact`);
    expect(body).toMatchObject({ sampled_runs: 0, matching_runs: 0, active_matching_runs: 0 });
  });

  it("W9 samples the runs that the key may see, and returns 404 for another project's", async () => {
    const { path, version_id } = await makeWorkflow(project);
    await project.api.post(`${path}/trigger`, { environment_id: "production" });
    const staging = (await project.api.get("/v1/environments/staging")).body;
    const bound = await project.newKey({ environment_id: staging.id });
    expect((await bound.api.get(`${path}/versions/${version_id}/impact`)).body.sampled_runs).toBe(0);
    expect((await project.api.get(`${path}/versions/${version_id}/impact`)).body.sampled_runs).toBe(1);
    expect((await (await world.project()).api.get(`${path}/versions/${version_id}/impact`)).status).toBe(404);
  });
});

describe("GET /v1/workflows/{workflowID}/active-versions", () => {
  it("W8 lists versions with active runs, newest first, with counts for pending, running and paused", async () => {
    const { path, id, version_id, steps, second } = await twoVersions();
    await project.api.patch(path, { timeout_secs: 5 });
    const first = { id, version_id, steps };
    for (const status of ["pending", "running", "running", "paused", "completed", "failed", "canceled"] as const) {
      await seedWorkflowRun(world.connection, project.id, { workflow: first, status });
    }
    await seedWorkflowRun(world.connection, project.id, { workflow: second });
    const { status, body } = await project.api.get(`${path}/active-versions`);
    expect([status, body.has_more]).toEqual([200, false]);
    const counts = { active_runs: 4, pending: 1, running: 2, paused: 1, is_current: false };
    expect(body.data).toEqual([
      {
        version_id: second.version_id,
        version: 2,
        is_current: false,
        active_runs: 1,
        pending: 0,
        running: 1,
        paused: 0,
        created_at: expect.any(String),
      },
      { version_id, version: 1, ...counts, created_at: expect.any(String) },
    ]);
  });

  it("W8 shows which is current, and is empty for a workflow without active runs", async () => {
    const { path } = await makeWorkflow(project);
    expect((await project.api.get(`${path}/active-versions`)).body.data).toEqual([]);
    await project.api.post(`${path}/trigger`, {});
    expect((await project.api.get(`${path}/active-versions`)).body.data).toMatchObject([{ is_current: true }]);
  });

  it("W8 O6 is listed in pages", async () => {
    const { path, second, id, version_id, steps } = await twoVersions();
    for (const workflow of [{ id, version_id, steps }, second]) {
      await seedWorkflowRun(world.connection, project.id, { workflow });
    }
    const one = (await project.api.get(`${path}/active-versions?limit=1`)).body;
    const two = (await project.api.get(`${path}/active-versions?limit=1&cursor=${one.next_cursor}`)).body;
    expect([one.data[0].version, two.data[0].version, two.has_more]).toEqual([2, 1, false]);
  });

  it("A2 A11 counts the runs that the key may see, and returns 404 for another project's", async () => {
    const { path } = await makeWorkflow(project);
    await project.api.post(`${path}/trigger`, { environment_id: "production" });
    const staging = (await project.api.get("/v1/environments/staging")).body;
    const bound = await project.newKey({ environment_id: staging.id });
    expect((await bound.api.get(`${path}/active-versions`)).body.data).toEqual([]);
    expect((await (await world.project()).api.get(`${path}/active-versions`)).status).toBe(404);
  });
});
