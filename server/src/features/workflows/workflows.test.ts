import { beforeAll, describe, expect, it } from "vitest";
import { makeJob, makeWorkflow, REST } from "../../../test/seed/make-workflow.ts";
import { runSql } from "../../../test/world/database.ts";
import { makeWorld, type World } from "../../../test/world/world.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

const MINIMAL = { name: "Ship an order", steps: [REST] };
const COMMON = { depends_on: [], on_failure: "fail_workflow", condition: null };

/** Every field that a caller sets, each with a value other than its default; steps of every type. */
const EVERYTHING = {
  slug: "ship",
  name: "Ship",
  description: "Ships an order",
  tags: { team: "logistics", eu: "true" },
  enabled: false,
  timeout_secs: 31_536_000,
  max_parallel_steps: 500,
  max_concurrent_runs: 3,
  payload_schema: { type: "object", required: ["order"] },
  cron: "*/5 * * * *",
  timezone: "Europe/Berlin",
  cron_overlap_policy: "skip",
  cancel_on: [{ event_key: "order.{{payload.order.id}}.canceled" }],
};

const slugsOf = (response: { body: { data: { slug: string }[] } }) => response.body.data.map((each) => each.slug);

describe("POST /v1/workflows", () => {
  it("W1 fills every field with its default, given only a name and steps", async () => {
    const { id: project_id, api } = await world.project();
    const created = await api.post("/v1/workflows", MINIMAL);
    expect(created.status, created.text).toBe(201);
    expect(created.body).toEqual({
      $schema: `${world.url}/schemas/Workflow.json`,
      id: expect.any(String),
      project_id,
      slug: "ship-an-order",
      name: "Ship an order",
      description: null,
      environment_id: null,
      tags: {},
      enabled: true,
      steps: [{ ...REST, ...COMMON }],
      timeout_secs: null,
      max_parallel_steps: null,
      max_concurrent_runs: null,
      payload_schema: null,
      cron: null,
      timezone: "UTC",
      cron_overlap_policy: "allow",
      on_failure_job_id: null,
      cancel_on: [],
      version: 1,
      current_version: 1,
      version_id: expect.any(String),
      canary_id: null,
      created_by: "test key",
      created_by_id: expect.any(String),
      created_at: expect.stringMatching(/Z$/),
      updated_at: created.body.created_at,
    });
  });

  it("W1 with dry_run reports what creating it would, and creates nothing", async () => {
    const { api } = await world.project();
    const before = (await api.get("/v1/audit-events")).body.data.length;
    const tried = await api.post("/v1/workflows?dry_run=true", { ...MINIMAL, cron: "*/5 * * * *" });
    expect([tried.status, tried.body.slug]).toEqual([200, "ship-an-order"]);
    const steps = [
      { ...REST, depends_on: ["nobody"] },
      { step_ref: "b", job_id: "nothing" },
    ];
    const refused = await api.post("/v1/workflows?dry_run=true", { ...MINIMAL, steps });
    const locations = refused.body.errors.map(({ location }: { location: string }) => location);
    expect([refused.status, locations]).toEqual([422, ["body.steps[0].depends_on[0]", "body.steps[1].job_id"]]);
    for (const list of ["workflows", "schedules"]) expect((await api.get(`/v1/${list}`)).body.data).toEqual([]);
    expect((await api.get("/v1/audit-events")).body.data).toHaveLength(before);
  });

  it("W1 stores every field as it was sent", async () => {
    const project = await world.project();
    const environment_id = (await project.api.get("/v1/environments/staging")).body.id;
    const on_failure_job_id = (await makeJob(project)).id;
    const sent = { ...EVERYTHING, environment_id, on_failure_job_id };
    const { path, ...created } = await makeWorkflow(project, sent);
    expect(created).toMatchObject(sent);
    expect((await project.api.get("/v1/workflows/ship")).body).toEqual(created);
  });

  it("W1 accepts the slugs of the environment and the on_failure job, and stores their ids", async () => {
    const project = await world.project();
    const [job, other] = [await makeJob(project, { slug: "clean-up" }), await makeJob(project, { slug: "tell" })];
    const ids = await Promise.all(
      ["staging", "development"].map(async (slug) => (await project.api.get(`/v1/environments/${slug}`)).body.id),
    );
    const { path, ...created } = await makeWorkflow(project, {
      environment_id: "staging",
      on_failure_job_id: "clean-up",
    });
    expect(created).toMatchObject({ environment_id: ids[0], on_failure_job_id: job.id });
    const same = await project.api.patch(path, { environment_id: "staging", on_failure_job_id: "clean-up" });
    expect(same.body.updated_at).toBe(created.updated_at);
    const changed = await project.api.patch(path, { environment_id: "development", on_failure_job_id: "tell" });
    expect(changed.body).toMatchObject({ environment_id: ids[1], on_failure_job_id: other.id });
    const cleared = await project.api.patch(path, { environment_id: null, on_failure_job_id: null });
    expect(cleared.body).toMatchObject({ environment_id: null, on_failure_job_id: null });
  });

  it("W1 W2 W3 fills in the defaults of each step type; a step without a type is a job step", async () => {
    const project = await world.project();
    const job_id = (await makeJob(project)).id;
    const { steps } = await makeWorkflow(project, {
      steps: [
        { step_ref: "charge", job_id },
        { step_ref: "paid", type: "wait_for_event", event_key: "paid-{{payload.id}}", depends_on: ["charge"] },
        { step_ref: "rest", type: "sleep", sleep_duration: "1h30m" },
        { step_ref: "ok", type: "approval" },
      ],
    });
    expect(steps).toEqual([
      {
        ...COMMON,
        step_ref: "charge",
        type: "job",
        job_id,
        payload: null,
        timeout_secs: null,
        max_attempts: null,
        priority: null,
        concurrency_key: null,
        event_emit_key: null,
        event_emit_buffer_secs: 0,
        compensate_job_id: null,
      },
      {
        ...COMMON,
        step_ref: "paid",
        type: "wait_for_event",
        depends_on: ["charge"],
        event_key: "paid-{{payload.id}}",
        timeout_secs: 3_600,
        notify_url: null,
      },
      { ...COMMON, step_ref: "rest", type: "sleep", sleep_duration: "1h30m" },
      { ...COMMON, step_ref: "ok", type: "approval", approvers: [], message: null, timeout_secs: 86_400 },
    ]);
  });

  it("W2 W4 W5 stores every field of a step as it was sent", async () => {
    const project = await world.project();
    const job_id = (await makeJob(project)).id;
    const common = { on_failure: "skip_dependents", condition: "payload.total > 100" };
    const steps = [
      {
        ...common,
        step_ref: "charge",
        type: "job",
        depends_on: [],
        job_id,
        payload: { id: "{{payload.order.id}}", list: [1, null, { deep: "{{payload}}" }] },
        timeout_secs: 86_400,
        max_attempts: 100,
        priority: -100,
        concurrency_key: "{{payload.customer}}",
        event_emit_key: "charged-{{output.id}}",
        event_emit_buffer_secs: 604_800,
        compensate_job_id: job_id,
      },
      {
        ...common,
        step_ref: "paid",
        type: "wait_for_event",
        depends_on: ["charge"],
        event_key: "paid-{{parent_outputs.charge.id}}",
        timeout_secs: 604_800,
        notify_url: "https://example.com/hook",
      },
      {
        ...common,
        step_ref: "ok",
        type: "approval",
        depends_on: ["paid"],
        approvers: ["Ada", "Grace"],
        message: "Ship {{payload.id}}?",
        timeout_secs: 31_536_000,
      },
      { ...common, step_ref: "rest", type: "sleep", depends_on: ["ok"], sleep_duration: "8760h" },
    ];
    for (const subject of ["Ada", "Grace"]) await project.api.post("/v1/members", { subject, role_id: "operator" });
    expect((await makeWorkflow(project, { steps })).steps).toEqual(steps);
  });

  it("W1 accepts approvers by name, stores keys by id and members by subject, and rejects unknown names", async () => {
    const project = await world.project();
    const [ann] = [await project.newKey({ name: "ann" }), await project.newKey({ name: "twin" })];
    await project.newKey({ name: "twin" });
    await project.api.post("/v1/members", { subject: "ada@example.com", name: "Ada", role_id: "operator" });
    const approval = (approvers: string[]) => ({ steps: [{ step_ref: "ok", type: "approval", approvers }] });
    const { id, steps } = await makeWorkflow(project, approval(["ann", "Ada", "internal secret"]));
    expect(steps[0].approvers).toEqual([ann.id, "ada@example.com", "internal secret"]);
    const unknown = { name: "Other", ...approval(["ann", "nobody", "twin"]) };
    const refused = [
      await project.api.post("/v1/workflows", unknown),
      await project.api.patch(`/v1/workflows/${id}`, approval(["ann", "nobody", "twin"])),
    ];
    for (const { status, body } of refused) {
      const at = body.errors.map(({ location }: { location: string }) => location);
      expect([status, at]).toEqual([422, ["body.steps[0].approvers[1]", "body.steps[0].approvers[2]"]]);
    }
    await project.api.delete(`/v1/api-keys/${ann.id}`);
    const read = (await project.api.get(`/v1/workflows/${id}`)).body;
    expect((await project.api.patch(`/v1/workflows/${id}`, { ...read, description: "kept" })).status).toBe(200);
  });

  it("W1 accepts the slug of a step's job and stores its id", async () => {
    const project = await world.project();
    const { id } = await makeJob(project, { slug: "charge-card" });
    const { steps } = await makeWorkflow(project, { steps: [{ step_ref: "a", job_id: "charge-card" }] });
    expect(steps[0].job_id).toBe(id);
  });

  it("W1 accepts 500 steps, and no more", async () => {
    const { api } = await world.project();
    const steps = Array.from({ length: 501 }, (_, i) => ({
      ...REST,
      step_ref: `s${i}`,
      depends_on: i === 0 ? [] : [`s${i - 1}`],
    }));
    expect((await api.post("/v1/workflows", { name: "Long", steps: steps.slice(0, 500) })).status).toBe(201);
    const refused = await api.post("/v1/workflows", { name: "Longer", steps });
    expect([refused.status, refused.body.errors[0].location]).toEqual([422, "body.steps"]);
  });

  it("409 for a taken slug; one derived from the name is varied, and other projects do not conflict", async () => {
    const [mine, other] = [await world.project(), await world.project()];
    await makeWorkflow(mine, { slug: "ship" });
    const refused = await mine.api.post("/v1/workflows", { ...MINIMAL, slug: "ship" });
    expect([refused.status, refused.body.code]).toEqual([409, "slug_taken"]);
    expect((await makeWorkflow(mine, { name: "Ship" })).slug).toMatch(/^ship-[0-9a-f]{6}$/);
    expect((await makeWorkflow(other, { slug: "ship" })).slug).toBe("ship");
  });

  it("creates one of several concurrent requests with the same slug", async () => {
    const { api } = await world.project();
    const responses = await Promise.all(
      Array.from({ length: 12 }, () => api.post("/v1/workflows", { ...MINIMAL, slug: "the-one", cron: "@hourly" })),
    );
    expect(responses.map((response) => response.status).toSorted()).toEqual([201, ...Array(11).fill(409)]);
    expect(slugsOf(await api.get("/v1/workflows"))).toEqual(["the-one"]);
  });

  it("is audited", async () => {
    const { api, key_id } = await world.project();
    const created = await api.post("/v1/workflows", MINIMAL);
    const [event] = await runSql(world.connection, "select * from audit_events where resource_id = $1", [
      created.body.id,
    ]);
    expect(event).toMatchObject({
      action: "workflow.created",
      resource_type: "workflow",
      actor_id: key_id,
      before: null,
      after: { name: MINIMAL.name, version: 1, steps: [REST] },
      request_id: created.headers.get("x-request-id"),
    });
  });

  it("A1 A11 422 if the internal secret does not name a project, 403 without workflows:write", async () => {
    const { id, newKey } = await world.project();
    expect((await world.admin.post("/v1/workflows", MINIMAL)).body.code).toBe("project_required");
    expect((await world.admin.post("/v1/workflows", { ...MINIMAL, project_id: id })).body.project_id).toBe(id);
    const { api } = await newKey({ scopes: ["workflows:read", "workflows:trigger", "jobs:write"] });
    expect((await api.post("/v1/workflows", MINIMAL)).body.code).toBe("scope_missing");
  });
});

describe("GET /v1/workflows", () => {
  it("O6 lists the project's own in pages, newest first or oldest first", async () => {
    const [project, other] = [await world.project(), await world.project()];
    for (const slug of ["one", "two", "three"]) await makeWorkflow(project, { slug });
    await makeWorkflow(other);
    expect(slugsOf(await project.api.get("/v1/workflows"))).toEqual(["three", "two", "one"]);
    const first = await project.api.get("/v1/workflows?order=asc&limit=2");
    expect([slugsOf(first), first.body.has_more]).toEqual([["one", "two"], true]);
    const second = await project.api.get(`/v1/workflows?order=asc&limit=2&cursor=${first.body.next_cursor}`);
    expect([slugsOf(second), second.body.has_more, second.body.next_cursor]).toEqual([["three"], false, null]);
  });

  it("returns each with all fields of a GET", async () => {
    const project = await world.project();
    await makeWorkflow(project, EVERYTHING);
    const { $schema: _, ...workflow } = (await project.api.get("/v1/workflows/ship")).body;
    expect((await project.api.get("/v1/workflows")).body.data).toEqual([workflow]);
  });

  it("filters by tag, by enabled, and by environment", async () => {
    const project = await world.project();
    const { id } = (await project.api.get("/v1/environments/staging")).body;
    await makeWorkflow(project, { slug: "eu", tags: { region: "eu" }, environment_id: id });
    await makeWorkflow(project, { slug: "us", tags: { region: "us" }, enabled: false });
    const listed = async (query: string) => slugsOf(await project.api.get(`/v1/workflows?order=asc&${query}`));
    expect(await listed("tag=region")).toEqual(["eu", "us"]);
    expect(await listed("tag=region:us")).toEqual(["us"]);
    expect(await listed("tag=regio")).toEqual([]);
    expect(await listed("enabled=true")).toEqual(["eu"]);
    expect(await listed(`environment_id=${id}`)).toEqual(["eu"]);
    expect(await listed("environment_id=staging")).toEqual(["eu"]);
  });

  it.each(["enabled=1", "environment_id=", "tag=", "tags=eu", "limit=101"])("422 for ?%s", async (query) => {
    const { api } = await world.project();
    expect((await api.get(`/v1/workflows?${query}`)).status).toBe(422);
  });
});

describe("GET /v1/workflows/{workflowID}", () => {
  it("finds it by id and by slug; the internal secret by id alone", async () => {
    const project = await world.project();
    const { path, ...workflow } = await makeWorkflow(project, { slug: "found" });
    expect((await project.api.get("/v1/workflows/found")).body).toEqual(workflow);
    expect((await project.api.get(path)).body).toEqual(workflow);
    expect((await world.admin.get(path)).body.project_id).toBe(project.id);
    expect((await world.admin.get("/v1/workflows/found")).body.code).toBe("project_required");
    expect((await world.admin.get(`/v1/workflows/found?project_id=${project.id}`)).body.id).toBe(workflow.id);
  });

  it("A2 A11 404 for another project's, by id and by slug; 403 without workflows:read", async () => {
    const [mine, other] = [await world.project(), await world.project()];
    const { id, path } = await makeWorkflow(other, { slug: "theirs" });
    for (const ref of [id, "theirs"]) {
      const response = await mine.api.get(`/v1/workflows/${ref}`);
      expect([response.status, response.body.detail]).toEqual([404, "There is no such workflow."]);
    }
    const { api } = await other.newKey({ scopes: ["workflows:write", "jobs:read"] });
    expect((await api.get(path)).body.code).toBe("scope_missing");
  });
});
