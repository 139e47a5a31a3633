import { beforeAll, describe, expect, it } from "vitest";
import { makeJob, makeWorkflow, REST } from "../../../test/seed/make-workflow.ts";
import { seedWorkflowRun } from "../../../test/seed/seed-workflow-run.ts";
import { runSql } from "../../../test/world/database.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";
import { newId } from "../../platform/ids.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld();
  project = await world.project();
});

async function revisionOf(id: string): Promise<number> {
  const [row] = await runSql<{ revision: number }>(world.connection, "select revision from workflows where id = $1", [
    id,
  ]);
  return row?.revision ?? 0;
}

const auditOf = (id: string) =>
  runSql(world.connection, "select action, before, after from audit_events where resource_id = $1 order by id", [id]);

/** A change of each versioned field. */
const BEHAVIOR: Record<string, unknown>[] = [
  { steps: [{ ...REST, sleep_duration: "2h" }] },
  { steps: [{ ...REST, on_failure: "continue" }] },
  { steps: [REST, { ...REST, step_ref: "again", depends_on: ["rest"] }] },
  { timeout_secs: 60 },
  { max_parallel_steps: 5 },
  { payload_schema: { type: "object" } },
];

/** A change of each field that applies at once. */
const LIVE: Record<string, unknown>[] = [
  { name: "Renamed" },
  { slug: "renamed-by-a-change" },
  { description: "Described" },
  { tags: { eu: "true" } },
  { enabled: false },
  { max_concurrent_runs: 5 },
  { cron: "@daily" },
  { timezone: "Europe/Berlin" },
  { cron_overlap_policy: "skip" },
  { cancel_on: [{ event_key: "stop" }] },
];

describe("PATCH /v1/workflows/{workflowID}", () => {
  it.each(BEHAVIOR.map((change) => [JSON.stringify(change), change]))(
    "W6 creates a new version for a change of how runs are executed: %s",
    async (_, change) => {
      const before = await makeWorkflow(project);
      const { body } = await project.api.patch(before.path, change);
      expect(body).toMatchObject({ ...change, version: 2, current_version: 2 });
      expect(body.version_id).not.toBe(before.version_id);
      const versions = (await project.api.get(`${before.path}/versions`)).body.data;
      expect(versions.map((each: { id: string }) => each.id)).toEqual([body.version_id, before.version_id]);
      expect(await revisionOf(before.id)).toBe(2);
    },
  );

  it.each(LIVE.map((change) => [JSON.stringify(change), change]))(
    "W6 creates no version for a change that applies at once, and raises the revision: %s",
    async (_, change) => {
      const { path, id, version_id } = await makeWorkflow(project);
      const { body } = await project.api.patch(path, change);
      expect(body).toMatchObject({ ...change, version: 1, current_version: 1, version_id });
      expect((await project.api.get(`${path}/versions`)).body.data).toHaveLength(1);
      expect(await revisionOf(id)).toBe(2);
    },
  );

  it("W6 leaves runs in flight on their version", async () => {
    const { path, id, version_id } = await makeWorkflow(project);
    const before = (await project.api.post(`${path}/trigger`, {})).body;
    const { body } = await project.api.patch(path, { steps: [{ ...REST, step_ref: "other" }] });
    const after = (await project.api.post(`${path}/trigger`, {})).body;
    expect([before.version, before.version_id, after.version, after.version_id]).toEqual([
      1,
      version_id,
      2,
      body.version_id,
    ]);
    const kept = await runSql(
      world.connection,
      `select w.version, s.step_ref from workflow_runs w join step_runs s on s.workflow_run_id = w.id
       where w.workflow_id = $1 order by w.id`,
      [id],
    );
    expect(kept).toEqual([
      { version: 1, step_ref: "rest" },
      { version: 2, step_ref: "other" },
    ]);
  });

  it("replaces all steps", async () => {
    const { path } = await makeWorkflow(project, { steps: [REST, { ...REST, step_ref: "b", depends_on: ["rest"] }] });
    const { body } = await project.api.patch(path, { steps: [{ ...REST, step_ref: "only" }] });
    expect(body.steps.map((step: { step_ref: string }) => step.step_ref)).toEqual(["only"]);
  });

  it("W6 O7 changes nothing if it is sent back as read: no version, no revision, no audit event", async () => {
    const job = await makeJob(project);
    const steps = [
      { step_ref: "a", job_id: job.slug, payload: { x: "{{payload.x}}", "line\nbreak": -0 } },
      { step_ref: "w", type: "wait_for_event", event_key: "k", depends_on: ["a"] },
      { step_ref: "ok", type: "approval", depends_on: ["w"] },
      { ...REST, depends_on: ["ok"] },
    ];
    const { path, id } = await makeWorkflow(project, { steps, tags: ["eu"], payload_schema: { type: "object" } });
    const read = (await project.api.get(path)).body;
    const response = await project.api.patch(path, read);
    expect([response.status, response.body]).toEqual([200, read]);
    const bySlug = await project.api.patch(path, { steps, tags: ["eu"] });
    expect(bySlug.body).toEqual(read);
    expect(await revisionOf(id)).toBe(1);
    expect(await auditOf(id)).toHaveLength(1);
  });

  it("O7 accepts GET's response with one step edited, and rejects a changed read-only field", async () => {
    const { path } = await makeWorkflow(project);
    const read = (await project.api.get(path)).body;
    const edited = await project.api.patch(path, { ...read, steps: [{ ...read.steps[0], sleep_duration: "2h" }] });
    expect(edited.body).toMatchObject({ version: 2, steps: [{ sleep_duration: "2h" }] });
    const refused = await project.api.patch(path, { ...read, name: "Other" });
    expect([refused.status, refused.body.code]).toEqual([422, "read_only_field"]);
    expect(refused.body.errors.map((issue: { location: string }) => issue.location).toSorted()).toEqual([
      "body.current_version",
      "body.updated_at",
      "body.version",
      "body.version_id",
    ]);
  });

  it("is audited with the previous and the new state", async () => {
    const { path, id } = await makeWorkflow(project);
    await project.api.patch(path, { timeout_secs: 5 });
    expect(await auditOf(id)).toMatchObject([
      { action: "workflow.created" },
      {
        action: "workflow.updated",
        before: { timeout_secs: null, version: 1 },
        after: { timeout_secs: 5, version: 2 },
      },
    ]);
  });

  it("409 for a taken slug", async () => {
    await makeWorkflow(project, { slug: "taken" });
    const { path } = await makeWorkflow(project);
    const refused = await project.api.patch(path, { slug: "taken" });
    expect([refused.status, refused.body.code]).toEqual([409, "slug_taken"]);
  });

  it("keeps its default schedule in sync with its cron", async () => {
    const { path, id } = await makeWorkflow(project);
    const schedules = async () => (await project.api.get(`/v1/schedules?workflow_id=${id}`)).body.data;
    await project.api.patch(path, { cron: "0 9 * * 1", timezone: "Europe/Berlin", cron_overlap_policy: "skip" });
    const [first] = await schedules();
    expect(first).toMatchObject({
      workflow_id: id,
      job_id: null,
      is_default: true,
      cron: "0 9 * * 1",
      timezone: "Europe/Berlin",
      overlap_policy: "skip",
    });
    await project.api.patch(path, { cron: "@hourly" });
    expect(await schedules()).toMatchObject([{ id: first.id, cron: "@hourly" }]);
    await project.api.patch(path, { cron: null });
    expect(await schedules()).toEqual([]);
  });

  it("W6 10 concurrent updates each create a version, numbered without a gap", async () => {
    const { path } = await makeWorkflow(project);
    const responses = await Promise.all(
      Array.from({ length: 10 }, (_, i) => project.api.patch(path, { timeout_secs: i + 1 })),
    );
    expect(responses.map((response) => response.status)).toEqual(Array(10).fill(200));
    const versions = (await project.api.get(`${path}/versions?order=asc`)).body.data;
    expect(versions.map((each: { version: number }) => each.version)).toEqual(
      Array.from({ length: 11 }, (_, i) => i + 1),
    );
  });

  it("lets runs blocked on max_concurrent_runs try again when it is raised", async () => {
    const { path, id, version_id, steps } = await makeWorkflow(project, { max_concurrent_runs: 1 });
    const blocked: string[] = [];
    for (let nth = 0; nth < 3; nth++) {
      const of = { workflow: { id, version_id, steps }, status: "pending", blocked_on: `workflow:${id}` } as const;
      blocked.push(await seedWorkflowRun(world.connection, project.id, of));
    }
    await project.api.patch(path, { max_concurrent_runs: 2 });
    const free = await runSql(
      world.connection,
      "select id from workflow_runs where workflow_id = $1 and blocked_on is null order by id",
      [id],
    );
    expect(free).toEqual(blocked.slice(0, 2).map((run) => ({ id: run })));
  });

  it("A2 A11 404 for another project's, 403 without workflows:write", async () => {
    const [mine, other] = [await world.project(), await world.project()];
    const { path } = await makeWorkflow(other);
    expect((await mine.api.patch(path, { name: "Mine" })).status).toBe(404);
    const { api } = await other.newKey({ scopes: ["workflows:read"] });
    expect((await api.patch(path, { name: "Mine" })).body.code).toBe("scope_missing");
  });
});

describe("GET /v1/workflows/{workflowID}/versions", () => {
  it("W6 O6 lists them in pages, newest first or oldest first", async () => {
    const { path } = await makeWorkflow(project, { slug: "many" });
    for (const timeout_secs of [1, 2]) await project.api.patch(path, { timeout_secs });
    const numbers = (response: { body: { data: { version: number }[] } }) =>
      response.body.data.map((each) => each.version);
    expect(numbers(await project.api.get("/v1/workflows/many/versions"))).toEqual([3, 2, 1]);
    const first = await project.api.get(`${path}/versions?order=asc&limit=2`);
    expect(numbers(first)).toEqual([1, 2]);
    const second = await project.api.get(`${path}/versions?order=asc&limit=2&cursor=${first.body.next_cursor}`);
    expect(numbers(second)).toEqual([3]);
  });

  it("A2 404 for another project's", async () => {
    const [mine, other] = [await world.project(), await world.project()];
    const { path } = await makeWorkflow(other);
    expect((await mine.api.get(`${path}/versions`)).status).toBe(404);
  });
});

describe("GET /v1/workflows/{workflowID}/versions/{versionID}", () => {
  it("W6 returns a version unchanged, with its author", async () => {
    const { path, id, version_id, steps } = await makeWorkflow(project, { timeout_secs: 60 });
    const { api } = await project.newKey({ name: "another" });
    const { body } = await api.patch(path, { timeout_secs: 90, steps: [{ ...REST, sleep_duration: "5m" }] });
    const first = (await project.api.get(`${path}/versions/${version_id}`)).body;
    expect(first).toEqual({
      $schema: `${world.url}/schemas/WorkflowVersion.json`,
      id: version_id,
      project_id: project.id,
      workflow_id: id,
      version: 1,
      steps,
      timeout_secs: 60,
      max_parallel_steps: null,
      payload_schema: null,
      breaking_change: false,
      approved_by: null,
      created_by: "test key",
      created_by_id: expect.any(String),
      created_at: expect.any(String),
    });
    const second = (await project.api.get(`${path}/versions/${body.version_id}`)).body;
    expect(second).toMatchObject({ version: 2, timeout_secs: 90, created_by: "another" });
  });

  it("404 for one of another workflow, for an unknown one, and for an invalid id", async () => {
    const [mine, other] = [await makeWorkflow(project), await makeWorkflow(project)];
    for (const id of [other.version_id, newId(), "1", "latest"]) {
      expect((await project.api.get(`${mine.path}/versions/${id}`)).status).toBe(404);
    }
  });
});
