import { beforeAll, describe, expect, it } from "vitest";
import { makeWorkflow, REST } from "../../../test/seed/make-workflow.ts";
import { runSql } from "../../../test/world/database.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

const pathOf = ({ id }: TestProject) => `/v1/workflow-policies/${id}`;
const sleep = (step_ref: string, ...depends_on: string[]) => ({ ...REST, step_ref, depends_on });
const FAN = [sleep("root"), sleep("a", "root"), sleep("b", "root"), sleep("end", "a", "b")];
const STRICT = { max_fan_out: 1, max_depth: 2, max_steps: 3, forbidden_step_types: ["approval"] };
const NOTHING = {
  max_fan_out: null,
  max_depth: null,
  max_steps: null,
  forbidden_step_types: [],
  require_approval_for_deploy: false,
};

async function withPolicy(policy: object): Promise<TestProject> {
  const project = await world.project();
  const response = await project.api.put(pathOf(project), policy);
  expect(response.status, response.text).toBe(200);
  return project;
}

const locations = (body: { errors: { location: string }[] }) => body.errors.map(({ location }) => location);

describe("GET /v1/workflow-policies/{projectID}", () => {
  it("W11 of a project without one sets no limits", async () => {
    const project = await world.project();
    const { status, body } = await project.api.get(pathOf(project));
    expect(status).toBe(200);
    expect(body).toMatchObject({ project_id: project.id, ...NOTHING, updated_by: null, updated_at: null });
  });

  it("W11 returns what was set, by id or slug", async () => {
    const project = await withPolicy(STRICT);
    for (const ref of [project.id, project.slug]) {
      const { body } = await project.api.get(`/v1/workflow-policies/${ref}`);
      expect(body).toMatchObject({ ...NOTHING, ...STRICT, updated_by: "test key", updated_at: expect.any(String) });
    }
  });

  it("A2 A11 404 for another project's, 403 without workflows:read; the internal secret reads any", async () => {
    const [mine, other] = [await world.project(), await world.project()];
    for (const ref of [other.id, other.slug, "nobody"]) {
      expect((await mine.api.get(`/v1/workflow-policies/${ref}`)).status).toBe(404);
    }
    const key = await mine.newKey({ scopes: ["jobs:read"] });
    expect((await key.api.get(pathOf(mine))).body.code).toBe("scope_missing");
    expect((await world.admin.get(pathOf(other))).body.project_id).toBe(other.id);
  });
});

describe("PUT /v1/workflow-policies/{projectID}", () => {
  it("W11 replaces the whole policy: omitted fields are no longer limited", async () => {
    const project = await withPolicy(STRICT);
    const { body } = await project.api.put(pathOf(project), { max_steps: 7 });
    expect(body).toMatchObject({ ...NOTHING, max_steps: 7 });
    expect((await project.api.get(pathOf(project))).body).toMatchObject({ ...NOTHING, max_steps: 7 });
  });

  it("W11 is audited with the previous and the new policy", async () => {
    const project = await withPolicy({ max_steps: 1 });
    await project.api.put(pathOf(project), { max_steps: 2 });
    const rows = await runSql(
      world.connection,
      "select before, after from audit_events where project_id = $1 and action = 'workflow_policy.updated' order by id",
      [project.id],
    );
    expect(rows).toMatchObject([
      { before: { max_steps: null }, after: { max_steps: 1 } },
      { before: { max_steps: 1 }, after: { max_steps: 2 } },
    ]);
  });

  it.each([
    [{ max_steps: 0 }, "body.max_steps"],
    [{ max_depth: 1.5 }, "body.max_depth"],
    [{ forbidden_step_types: ["nothing"] }, "body.forbidden_step_types[0]"],
    [{ forbidden_step_types: ["job", "job"] }, "body.forbidden_step_types"],
    [{ max_height: 3 }, "body.max_height"],
  ])("W11 rejects %j", async (policy, location) => {
    const project = await world.project();
    const refused = await project.api.put(pathOf(project), policy);
    expect([refused.status, locations(refused.body)]).toEqual([422, [location]]);
  });

  it("A2 A11 404 for another project's, 403 without workflows:write or with a key of one environment", async () => {
    const [mine, other] = [await world.project(), await world.project()];
    expect((await mine.api.put(pathOf(other), {})).status).toBe(404);
    const reader = await mine.newKey({ scopes: ["workflows:read"] });
    expect((await reader.api.put(pathOf(mine), {})).body.code).toBe("scope_missing");
    const staging = (await mine.api.get("/v1/environments/staging")).body;
    const bound = await mine.newKey({ environment_id: staging.id });
    expect((await bound.api.put(pathOf(mine), {})).body.code).toBe("forbidden");
  });

  it("W11 with dry_run returns the workflows that would violate it, and changes nothing", async () => {
    const project = await world.project();
    const wide = await makeWorkflow(project, { steps: FAN });
    await makeWorkflow(project);
    const gone = await makeWorkflow(project, { steps: FAN });
    await project.api.delete(gone.path);
    const fixed = await makeWorkflow(project, { steps: FAN });
    await project.api.patch(fixed.path, { steps: [REST] });
    const { status, body } = await project.api.put(`${pathOf(project)}?dry_run=true`, { max_steps: 3, max_fan_out: 1 });
    expect([status, body.max_steps, body.updated_at]).toEqual([200, 3, null]);
    expect(body.preview).toMatchObject({ checked_count: 3, violating_count: 1 });
    expect(body.preview.violating).toMatchObject([
      {
        workflow_id: wide.id,
        slug: wide.slug,
        version_id: wide.version_id,
        violations: [{ location: "steps" }, { location: "steps[0]" }],
      },
    ]);
    expect((await project.api.get(pathOf(project))).body).toMatchObject(NOTHING);
    const audits = await runSql(
      world.connection,
      "select 1 from audit_events where project_id = $1 and action = 'workflow_policy.updated'",
      [project.id],
    );
    expect(audits).toEqual([]);
  });

  it("W11 with dry_run checks more workflows than one page holds", async () => {
    const project = await world.project();
    await makeWorkflow(project, { steps: FAN });
    await runSql(
      world.connection,
      `insert into workflows (project_id, id, slug, name, version_id, current_version, version, created_by, created_at,
         updated_at)
       select project_id, gen_random_uuid(), 'copy-' || n, name, version_id, 1, 1, 'test', clock(), clock()
       from workflows, generate_series(1, 450) n where project_id = $1`,
      [project.id],
    );
    const { body } = await project.api.put(`${pathOf(project)}?dry_run=true`, { max_steps: 3 });
    expect([body.preview.checked_count, body.preview.violating_count]).toEqual([451, 451]);
    expect(body.preview.violating).toHaveLength(100);
  });
});

describe("a policy", () => {
  it("W11 is enforced when a workflow is created: reports every violation at once, with its location", async () => {
    const project = await withPolicy({ ...STRICT, forbidden_step_types: ["sleep"] });
    const refused = await project.api.post("/v1/workflows", { name: "Order", steps: FAN });
    expect([refused.status, refused.body.code]).toEqual([422, "policy_violated"]);
    expect(locations(refused.body)).toEqual([
      "body.steps",
      "body.steps[0].type",
      "body.steps[1].type",
      "body.steps[2].type",
      "body.steps[3].type",
      "body.steps[0]",
      "body.steps[3].depends_on",
    ]);
    expect((await project.api.get("/v1/workflows")).body.data).toEqual([]);
  });

  it("W11 is enforced when steps change, even if they are stored inactive", async () => {
    const project = await withPolicy({ max_steps: 3 });
    const { path } = await makeWorkflow(project);
    for (const activate of [true, false]) {
      const refused = await project.api.patch(path, { steps: FAN, activate });
      expect([refused.status, refused.body.code, locations(refused.body)]).toEqual([
        422,
        "policy_violated",
        ["body.steps"],
      ]);
    }
    expect((await project.api.get(path)).body.version).toBe(1);
  });

  it("W11 is reported together with the other issues", async () => {
    const project = await withPolicy({ max_steps: 1 });
    const steps = [REST, { ...sleep("b"), sleep_duration: "soon" }];
    const refused = await project.api.post("/v1/workflows", { name: "Order", steps });
    expect([refused.status, refused.body.code]).toEqual([422, "validation_failed"]);
    expect(locations(refused.body)).toEqual(["body.steps[1].sleep_duration", "body.steps"]);
  });

  it("W11 lets an existing workflow change in everything but its steps, and be sent back unchanged", async () => {
    const project = await world.project();
    const { path } = await makeWorkflow(project, { steps: FAN });
    await project.api.put(pathOf(project), { max_steps: 1 });
    const read = (await project.api.get(path)).body;
    expect((await project.api.patch(path, { ...read, name: "Renamed", timeout_secs: 60 })).status).toBe(200);
  });

  it("W11 does not let a forbidden version become current", async () => {
    const project = await world.project();
    const { path, version_id } = await makeWorkflow(project, { steps: FAN });
    await project.api.patch(path, { steps: [REST] });
    await project.api.put(pathOf(project), { max_depth: 2 });
    const refused = await project.api.post(`${path}/versions/${version_id}/activate`);
    expect([refused.status, refused.body.code]).toEqual([422, "policy_violated"]);
    expect(locations(refused.body)).toEqual(["version.steps[3].depends_on"]);
  });

  it("W11 applies to its own project alone", async () => {
    await withPolicy({ max_steps: 1 });
    await makeWorkflow(await world.project(), { steps: FAN });
  });
});
