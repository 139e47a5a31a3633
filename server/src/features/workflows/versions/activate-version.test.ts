import { beforeAll, describe, expect, it } from "vitest";
import { makeJob, makeWorkflow, REST } from "../../../../test/seed/make-workflow.ts";
import { runSql } from "../../../../test/world/database.ts";
import { makeWorld, type TestProject, type World } from "../../../../test/world/world.ts";
import { newId } from "../../../platform/ids.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld();
  project = await world.project();
});

const auditOf = (id: string) =>
  runSql<{ action: string; before: object; after: object }>(
    world.connection,
    "select action, before, after from audit_events where resource_id = $1 order by id",
    [id],
  );
const actionsOf = async (id: string) => (await auditOf(id)).map(({ action }) => action);

const OTHER = { steps: [{ ...REST, step_ref: "other" }] };

/** A workflow with a second version that is stored but not current. */
async function withStored(of: Pick<TestProject, "api"> = project, change: object = OTHER) {
  const workflow = await makeWorkflow(of);
  const { body } = await of.api.patch(workflow.path, { ...change, activate: false });
  const stored = body.inactive_version_id as string;
  return { ...workflow, stored, activate: `${workflow.path}/versions/${stored}/activate` };
}

describe("PATCH /v1/workflows/{workflowID}", () => {
  it("W6 with activate false stores the version, and new runs still use the current one", async () => {
    const before = await makeWorkflow(project);
    const { body } = await project.api.patch(before.path, { ...OTHER, activate: false });
    expect(body).toMatchObject({ version: 2, current_version: 1, version_id: before.version_id, steps: before.steps });
    const stored = await project.api.get(`${before.path}/versions/${body.inactive_version_id}`);
    expect(stored.body).toMatchObject({ version: 2, steps: OTHER.steps });
    const run = await project.api.post(`${before.path}/trigger`, {});
    expect(run.body.version).toBe(1);
    expect((await project.api.get(before.path)).body).not.toHaveProperty("inactive_version_id");
  });

  it("W6 with activate false applies unversioned settings at once", async () => {
    const { path, version_id } = await makeWorkflow(project);
    const { body } = await project.api.patch(path, { ...OTHER, name: "Renamed", activate: false });
    expect(body).toMatchObject({ name: "Renamed", version_id });
    const renamed = await project.api.patch(path, { name: "Again", activate: false });
    expect(renamed.body).toMatchObject({ name: "Again", version: 2 });
    expect(renamed.body).not.toHaveProperty("inactive_version_id");
  });

  it("W6 numbers versions consecutively, whichever is current", async () => {
    const { path } = await withStored();
    const { body } = await project.api.patch(path, { timeout_secs: 5 });
    expect(body).toMatchObject({ version: 3, current_version: 3, timeout_secs: 5, steps: [{ step_ref: "rest" }] });
  });

  it("W7 reports runs in flight on the replaced version, and audits a breaking change", async () => {
    const { path, id, version_id } = await makeWorkflow(project);
    for (let nth = 0; nth < 2; nth++) await project.api.post(`${path}/trigger`, {});
    const { body } = await project.api.patch(path, { ...OTHER, breaking_change: true });
    expect(body).toMatchObject({ active_runs_on_previous_version: 2, previous_version_id: version_id });
    expect(await actionsOf(id)).toEqual(["workflow.created", "workflow.updated", "workflow.updated_breaking"]);
    expect((await auditOf(id)).at(-1)).toMatchObject({
      before: { version: 1, version_id },
      after: { version: 2, version_id: body.version_id, active_runs_on_previous_version: 2 },
    });
    const made = await project.api.get(`${path}/versions/${body.version_id}`);
    expect(made.body.breaking_change).toBe(true);
  });

  it("W7 reports runs in flight even if nothing breaks, without that audit event", async () => {
    const { path, id, version_id } = await makeWorkflow(project);
    await project.api.post(`${path}/trigger`, {});
    const { body } = await project.api.patch(path, OTHER);
    expect(body).toMatchObject({ active_runs_on_previous_version: 1, previous_version_id: version_id });
    expect(await actionsOf(id)).toEqual(["workflow.created", "workflow.updated"]);
  });

  it("W7 counts pending and paused runs, but none that has ended or is on another version", async () => {
    const { path } = await makeWorkflow(project);
    const trigger = async (body: object = {}) => (await project.api.post(`${path}/trigger`, body)).body.id;
    await trigger();
    await project.api.patch(path, { timeout_secs: 60 });
    await trigger({ delay_secs: 600 });
    const [paused, canceled] = [await trigger(), await trigger()];
    await project.api.post(`/v1/workflow-runs/${paused}/pause`);
    await project.api.post(`/v1/workflow-runs/${canceled}/cancel`);
    const { body } = await project.api.patch(path, { ...OTHER, breaking_change: true });
    expect(body.active_runs_on_previous_version).toBe(2);
  });

  it("W7 reports and audits nothing if no run is in flight, or no version is replaced", async () => {
    const { path, id } = await makeWorkflow(project);
    const quiet = await project.api.patch(path, { ...OTHER, breaking_change: true });
    await project.api.post(`${path}/trigger`, {});
    const live = await project.api.patch(path, { name: "Live", breaking_change: true });
    const stored = await project.api.patch(path, { timeout_secs: 7, breaking_change: true, activate: false });
    for (const { status, body } of [quiet, live, stored]) {
      expect([status, "previous_version_id" in body, "active_runs_on_previous_version" in body]).toEqual([
        200,
        false,
        false,
      ]);
    }
    expect(await actionsOf(id)).not.toContain("workflow.updated_breaking");
  });
});

describe("POST /v1/workflows/{workflowID}/versions/{versionID}/activate", () => {
  it("W6 makes a stored version the one that new runs use, and is audited", async () => {
    const { path, id, stored, activate, version_id } = await withStored();
    const { status, body } = await project.api.post(activate);
    expect([status, body.version_id, body.current_version, body.version]).toEqual([200, stored, 2, 2]);
    expect(body.steps).toMatchObject(OTHER.steps);
    expect((await project.api.post(`${path}/trigger`, {})).body.version).toBe(2);
    expect((await auditOf(id)).at(-1)).toMatchObject({
      action: "workflow.version_activated",
      before: { version_id },
      after: { version_id: stored },
    });
  });

  it("W6 can go back to an older version; runs in flight stay on theirs and are reported", async () => {
    const { path, id, version_id } = await makeWorkflow(project);
    const changed = await project.api.patch(path, OTHER);
    const run = await project.api.post(`${path}/trigger`, {});
    const { body } = await project.api.post(`${path}/versions/${version_id}/activate`);
    expect(body).toMatchObject({
      version: 2,
      current_version: 1,
      active_runs_on_previous_version: 1,
      previous_version_id: changed.body.version_id,
    });
    expect((await project.api.get(`/v1/workflow-runs/${run.body.id}`)).body.version).toBe(2);
    expect(await actionsOf(id)).not.toContain("workflow.updated_breaking");
  });

  it("W7 audits a breaking version that replaces one with runs in flight", async () => {
    const { path, id, activate } = await withStored(project, { ...OTHER, breaking_change: true });
    await project.api.post(`${path}/trigger`, {});
    await project.api.post(activate);
    expect((await actionsOf(id)).at(-1)).toBe("workflow.updated_breaking");
  });

  it("of the current version changes and audits nothing", async () => {
    const { path, id, version_id } = await makeWorkflow(project);
    const read = (await project.api.get(path)).body;
    const response = await project.api.post(`${path}/versions/${version_id}/activate`);
    expect([response.status, response.body]).toEqual([200, read]);
    expect(await actionsOf(id)).toEqual(["workflow.created"]);
  });

  it("W6 rejects a version whose job was deleted meanwhile, with its location", async () => {
    const job = await makeJob(project);
    const steps = [REST, { step_ref: "work", job_id: job.id }];
    const { activate, path, version_id } = await withStored(project, { steps });
    expect((await project.api.delete(`/v1/jobs/${job.id}`)).status).toBe(204);
    const refused = await project.api.post(activate);
    expect([refused.status, refused.body.errors[0].location]).toEqual([422, "version.steps[1].job_id"]);
    expect((await project.api.get(path)).body.version_id).toBe(version_id);
  });

  it("404 for a version of another workflow, for an unknown one, and for an invalid id", async () => {
    const [mine, other] = [await makeWorkflow(project), await makeWorkflow(project)];
    for (const id of [other.version_id, newId(), "2"]) {
      expect((await project.api.post(`${mine.path}/versions/${id}/activate`)).status).toBe(404);
    }
  });

  it("A2 A11 404 for another project's, 403 without workflows:write or beyond the key's environment", async () => {
    const { activate } = await withStored();
    expect((await (await world.project()).api.post(activate)).status).toBe(404);
    const reader = await project.newKey({ scopes: ["workflows:read"] });
    expect((await reader.api.post(activate)).body.code).toBe("scope_missing");
    const environments = (await project.api.get("/v1/environments")).body.data;
    const bound = await project.newKey({ environment_id: environments[0].id });
    expect((await bound.api.post(activate)).body.code).toBe("forbidden");
  });

  it("W6 8 concurrent activations and updates leave one current version that is stored", async () => {
    const { path, activate, version_id } = await withStored();
    const responses = await Promise.all(
      Array.from({ length: 8 }, (_, i) => {
        if (i % 3 === 0) return project.api.patch(path, { timeout_secs: i + 1 });
        return project.api.post(i % 3 === 1 ? activate : `${path}/versions/${version_id}/activate`);
      }),
    );
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    const { body } = await project.api.get(path);
    const current = await project.api.get(`${path}/versions/${body.version_id}`);
    expect([current.body.version, body.version]).toEqual([body.current_version, 5]);
  });
});
