import { beforeAll, describe, expect, it } from "vitest";
import { makeWorkflow, REST } from "../../../../test/seed/make-workflow.ts";
import { runSql } from "../../../../test/world/database.ts";
import { makeWorld, type TestProject, type World } from "../../../../test/world/world.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld();
  project = await world.project();
  await project.api.put(`/v1/workflow-policies/${project.id}`, { require_approval_for_deploy: true });
});

const OTHER = { steps: [{ ...REST, step_ref: "other" }] };

async function changed(change: object = OTHER) {
  const workflow = await makeWorkflow(project);
  const { body } = await project.api.patch(workflow.path, change);
  return { ...workflow, body, activate: `${workflow.path}/versions/${body.inactive_version_id}/activate` };
}

describe("require_approval_for_deploy", () => {
  it("W11 makes a PATCH only store the version, even with activate", async () => {
    for (const change of [OTHER, { ...OTHER, activate: true }]) {
      const { body, version_id } = await changed(change);
      expect(body).toMatchObject({ version: 2, current_version: 1, version_id });
      expect(body.inactive_version_id).toEqual(expect.any(String));
    }
  });

  it("W11 does not let its author activate it, and changes nothing", async () => {
    const { activate, path, version_id } = await changed();
    const refused = await project.api.post(activate);
    expect([refused.status, refused.body.code]).toEqual([403, "same_author"]);
    expect((await project.api.get(path)).body.version_id).toBe(version_id);
  });

  it("W11 lets another key activate it, even one with the same name, and records which", async () => {
    const { activate, path, body } = await changed();
    const other = await project.newKey({ name: "test key" });
    const response = await other.api.post(activate);
    expect([response.status, response.body.version_id]).toEqual([200, body.inactive_version_id]);
    const version = await project.api.get(`${path}/versions/${body.inactive_version_id}`);
    expect(version.body.approved_by).toBe("test key");
  });

  it("W11 lets its author go back to a version that another caller has approved", async () => {
    const { activate, path, body, version_id } = await changed();
    const other = await project.newKey();
    await other.api.post(activate);
    await other.api.post(`${path}/versions/${version_id}/activate`);
    const response = await project.api.post(activate);
    expect([response.status, response.body.version_id]).toEqual([200, body.inactive_version_id]);
  });

  it("W11 lets the internal secret activate a key's version, but not its own", async () => {
    const { activate, path } = await changed();
    expect((await world.admin.post(activate)).status).toBe(200);
    const { body } = await world.admin.patch(path, { timeout_secs: 9 });
    const own = `${path}/versions/${body.inactive_version_id}/activate`;
    expect((await world.admin.post(own)).body.code).toBe("same_author");
    expect((await project.api.post(own)).status).toBe(200);
  });

  it("W11 recognizes the author after the key was rotated", async () => {
    const { id, api } = await project.newKey();
    const { path } = await makeWorkflow({ api });
    const { body } = await api.patch(path, OTHER);
    const rotated = await world.admin.post(`/v1/api-keys/${id}/rotate`, {});
    const again = world.as(rotated.body.key);
    const refused = await again.post(`${path}/versions/${body.inactive_version_id}/activate`);
    expect([refused.status, refused.body.code]).toEqual([403, "same_author"]);
  });

  it("W11 compares the author's name for a version without an author id", async () => {
    const { activate, body } = await changed();
    const id = body.inactive_version_id;
    await runSql(world.connection, "update workflow_versions set author = null where id = $1", [id]);
    expect((await project.api.post(activate)).body.code).toBe("same_author");
    const other = await project.newKey({ name: "somebody else" });
    expect((await other.api.post(activate)).status).toBe(200);
  });

  it("W11 without it authors activate their own versions, and no approval is recorded", async () => {
    const free = await world.project();
    const { path } = await makeWorkflow(free);
    const { body } = await free.api.patch(path, { ...OTHER, activate: false });
    const version = `${path}/versions/${body.inactive_version_id}`;
    expect((await free.api.post(`${version}/activate`)).status).toBe(200);
    expect((await free.api.get(version)).body.approved_by).toBeNull();
  });
});
