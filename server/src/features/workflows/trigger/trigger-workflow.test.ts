import { beforeAll, describe, expect, it } from "vitest";
import { makeWorkflow, REST } from "../../../../test/seed/make-workflow.ts";
import { runSql } from "../../../../test/world/database.ts";
import { until } from "../../../../test/world/until.ts";
import { makeWorld, type TestProject, type World } from "../../../../test/world/world.ts";
import { newId } from "../../../platform/ids.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld();
  project = await world.project();
});

const make = (fields: object = {}) => makeWorkflow(project, fields);
const trigger = ({ id }: { id: string }, body: unknown = {}, api = project.api) =>
  api.post(`/v1/workflows/${id}/trigger`, body);
const readRun = async (id: string) => (await project.api.get(`/v1/workflow-runs/${id}`)).body;
const environment = async (slug: string) => (await project.api.get(`/v1/environments/${slug}`)).body.id as string;
const runsOf = (workflow: { id: string }) =>
  runSql<{ id: string }>(world.connection, "select id from workflow_runs where workflow_id = $1", [workflow.id]);

describe("POST /v1/workflows/{workflowID}/trigger", () => {
  it("W1 creates a run with every default from an empty body, by id and by slug", async () => {
    const workflow = await make({ slug: "plain" });
    const { status, body } = await trigger(workflow);
    expect(status).toBe(201);
    expect(body).toEqual({
      $schema: `${world.url}/schemas/WorkflowRun.json`,
      id: expect.any(String),
      project_id: project.id,
      workflow_id: workflow.id,
      version: 1,
      version_id: workflow.version_id,
      environment_id: await environment("production"),
      status: "running",
      phase: null,
      payload: {},
      tags: {},
      metadata: {},
      routing_key: null,
      idempotency_key: null,
      error_count: 0,
      error: null,
      trigger_type: "api",
      created_by: "test key",
      created_by_id: project.key_id,
      schedule_id: null,
      parent_workflow_run_id: null,
      parent_step_ref: null,
      root_workflow_run_id: null,
      depth: 0,
      batch_id: null,
      timeout_secs: null,
      scheduled_at: body.created_at,
      started_at: body.created_at,
      deadline: null,
      paused_at: null,
      finished_at: null,
      created_at: expect.stringMatching(/Z$/),
      updated_at: body.created_at,
    });
    expect(await readRun(body.id)).toEqual(body);
    expect((await project.api.post("/v1/workflows/plain/trigger", {})).body.workflow_id).toBe(workflow.id);
  });

  it("R2 at most 20 tags after merging; its steps still start, with all tags of the job and as many others as fit", async () => {
    const named = (prefix: string, count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, nth) => [`${prefix}${nth}`, "x"]));
    const job = (
      await project.api.post("/v1/jobs", {
        ...{ name: "Tagged", endpoint_url: "https://example.com/", tags: named("j", 3) },
      })
    ).body;
    const workflow = await make({ tags: named("w", 18), steps: [{ step_ref: "a", job_id: job.id }] });
    const refused = await trigger(workflow, { tags: named("t", 3) });
    expect([refused.status, refused.body.errors?.[0]]).toMatchObject([
      422,
      {
        location: "body.tags",
        message: "the 3 here, merged with the 18 of the workflow, make 21; at most 20 are allowed",
      },
    ]);
    const { body } = await trigger(workflow, { tags: named("t", 1) });
    const runs = (await project.api.get(`/v1/runs?workflow_run_id=${body.id}`)).body.data;
    const { w8: _8, w9: _9, ...kept } = named("w", 18);
    expect(runs[0].tags).toEqual({ ...named("j", 3), ...named("t", 1), ...kept });
  });

  it("W1 keeps every requested field, on top of the workflow's own tags", async () => {
    const workflow = await make({ tags: { team: "logistics", eu: "no" }, timeout_secs: 60 });
    const asked = {
      payload: { order: { id: 7 }, "line\nbreak": [1, null] },
      metadata: { source: "shop", nested: { a: 1 } },
      routing_key: "customer-7",
      idempotency_key: "k1",
    };
    const { body } = await trigger(workflow, { ...asked, tags: ["eu", "vip"] });
    expect(body).toMatchObject({ ...asked, tags: { team: "logistics", eu: "true", vip: "true" }, timeout_secs: 60 });
    expect(Date.parse(body.deadline) - Date.parse(body.started_at)).toBe(60_000);
    expect(await readRun(body.id)).toEqual(body);
  });

  it.each(["text", "", 5, false, [], [1, { a: null }]])("keeps the payload %j", async (payload) => {
    const { body } = await trigger(await make(), { payload });
    expect([body.payload, (await readRun(body.id)).payload]).toEqual([payload, payload]);
  });

  it("creates the run with all its steps", async () => {
    const steps = [REST, { ...REST, step_ref: "b", depends_on: ["rest"] }];
    const { body } = await trigger(await make({ steps }));
    const listed = (await project.api.get(`/v1/workflow-runs/${body.id}/steps`)).body.data;
    expect(listed.map((step: { step_ref: string; status: string }) => [step.step_ref, step.status])).toEqual([
      ["rest", "waiting"],
      ["b", "pending"],
    ]);
  });

  it("W6 runs a version other than the current one, by number or by id", async () => {
    const workflow = await make({ payload_schema: { type: "object", required: ["old"] } });
    const current = (await project.api.patch(workflow.path, { payload_schema: null, timeout_secs: 9 })).body;
    const chosen = async (version: unknown) => {
      const { body } = await trigger(workflow, { version, payload: { old: 1 } });
      return [body.version, body.version_id, body.timeout_secs];
    };
    const [first, second] = [
      [1, workflow.version_id, null],
      [2, current.version_id, 9],
    ];
    expect(await chosen(1)).toEqual(first);
    expect(await chosen(workflow.version_id)).toEqual(first);
    expect(await chosen(2)).toEqual(second);
    expect(await chosen(current.version_id)).toEqual(second);
    expect(await chosen(undefined)).toEqual(second);
    const unfit = await trigger(workflow, { version: 1, payload: {} });
    expect([unfit.status, unfit.body.code]).toEqual([422, "payload_invalid"]);
  });

  it("W6 422 for a version of another workflow", async () => {
    const [workflow, other] = [await make(), await make()];
    for (const version of [2, newId(), other.version_id, 0, 1.5, "1", "latest", null]) {
      const refused = await trigger(workflow, { version });
      expect([refused.status, refused.body.errors[0].location], JSON.stringify(version)).toEqual([422, "body.version"]);
      if (version === "latest")
        expect(refused.body.errors[0].message).toBe("must be a whole number or an id: a UUID in lower case");
    }
    expect(await runsOf(workflow)).toEqual([]);
  });

  it("422 with the location of everything in the payload that its schema rejects", async () => {
    const payload_schema = {
      type: "object",
      required: ["order"],
      properties: { order: { type: "object", properties: { id: { type: "integer" } } }, to: { type: "string" } },
    };
    const workflow = await make({ payload_schema });
    const refused = await trigger(workflow, { payload: { order: { id: "7" }, to: 5 } });
    expect([refused.status, refused.body.code]).toEqual([422, "payload_invalid"]);
    expect(refused.body.errors.map((issue: { location: string }) => issue.location).toSorted()).toEqual([
      "body.payload.order.id",
      "body.payload.to",
    ]);
    expect((await trigger(workflow)).body.errors[0].location).toBe("body.payload.order");
    expect((await trigger(workflow, { payload: { order: { id: 7 } } })).status).toBe(201);
  });

  it("409 while it is disabled, at once on every instance, until it is enabled again", async () => {
    const workflow = await make();
    const second = await world.anotherInstance();
    const ask = (url: string) =>
      fetch(`${url}/v1/workflows/${workflow.id}/trigger`, {
        method: "POST",
        headers: { authorization: `Bearer ${project.key}` },
      }).then(async (response) => [response.status, ((await response.json()) as { code?: string }).code]);
    for (const { url } of [world, second]) expect(await ask(url)).toEqual([201, undefined]);
    await project.api.patch(workflow.path, { enabled: false });
    for (const { url } of [world, second]) expect(await ask(url)).toEqual([409, "workflow_disabled"]);
    await project.api.patch(workflow.path, { enabled: true });
    for (const { url } of [world, second]) expect(await ask(url)).toEqual([201, undefined]);
  });

  it("W6 uses a change at once on every instance, despite its cache", async () => {
    const workflow = await make();
    const second = await world.anotherInstance();
    for (let version = 1; version <= 4; version++) {
      const responses = await Promise.all(
        [world, second].map(({ url }) =>
          fetch(`${url}/v1/workflows/${workflow.id}/trigger`, {
            method: "POST",
            headers: { authorization: `Bearer ${project.key}` },
          }).then((response) => response.json()),
        ),
      );
      expect(responses).toMatchObject([{ version }, { version }]);
      await project.api.patch(workflow.path, { timeout_secs: 100 + version });
    }
  });

  it("422 for both of scheduled_at and delay_secs; either starts it later", async () => {
    const workflow = await make();
    const both = await trigger(workflow, { scheduled_at: "2090-01-01T00:00:00Z", delay_secs: 5 });
    expect([both.status, both.body.errors[0].location]).toEqual([422, "body.delay_secs"]);
    const at = (await trigger(workflow, { scheduled_at: "2090-01-01T00:00:00Z" })).body;
    expect(at).toMatchObject({ status: "pending", scheduled_at: "2090-01-01T00:00:00.000Z", started_at: null });
    const late = (await trigger(workflow, { delay_secs: 3_600 })).body;
    expect(late.status).toBe("pending");
    expect(Date.parse(late.scheduled_at) - Date.parse(late.created_at)).toBe(3_600_000);
  });

  it("dry_run checks everything, creates nothing and stores no key", async () => {
    const workflow = await make({ payload_schema: { type: "object", required: ["id"] }, timeout_secs: 5 });
    const asked = { payload: { id: 1 }, idempotency_key: "dry", delay_secs: 60 };
    const dry = await trigger(workflow, { ...asked, dry_run: true });
    expect([dry.status, dry.body]).toMatchObject([
      200,
      { ...{ payload: { id: 1 } }, status: "pending", version: 1, timeout_secs: 5, started_at: null },
    ]);
    expect((await trigger(workflow, { dry_run: true })).body.code).toBe("payload_invalid");
    expect(await runsOf(workflow)).toEqual([]);
    expect((await trigger(workflow, asked)).status).toBe(201);
  });

  it.each([
    [{ payloads: {} }, "body.payloads"],
    [{ routing_key: "" }, "body.routing_key"],
    [{ metadata: [] }, "body.metadata"],
    [{ tags: { a: 1 } }, "body.tags.a"],
    [{ delay_secs: -1 }, "body.delay_secs"],
    [{ scheduled_at: "soon" }, "body.scheduled_at"],
    [{ environment_id: "nowhere" }, "body.environment_id"],
    [{ idempotency_key: "" }, "body.idempotency_key"],
  ])("422 for %j", async (body, location) => {
    const refused = await trigger(await make(), body);
    expect([refused.status, refused.body.errors[0].location]).toEqual([422, location]);
  });

  it("A2 A11 404 for another project's and an unknown one; 403 without workflows:trigger", async () => {
    const other = await world.project();
    const theirs = await makeWorkflow(other, { slug: "theirs" });
    for (const ref of [theirs.id, "theirs", newId()]) {
      const response = await project.api.post(`/v1/workflows/${ref}/trigger`, {});
      expect([response.status, response.body.detail]).toEqual([404, "There is no such workflow."]);
    }
    const writer = await other.newKey({ scopes: ["workflows:write", "jobs:trigger"] });
    expect((await writer.api.post(`${theirs.path}/trigger`, {})).body.code).toBe("scope_missing");
    const trigger_only = await other.newKey({ scopes: ["workflows:trigger"] });
    expect((await trigger_only.api.post(`${theirs.path}/trigger`, {})).status).toBe(201);
  });

  it("creates a run for each of many concurrent triggers, with its own payload", async () => {
    const workflow = await make();
    const responses = await Promise.all(Array.from({ length: 60 }, (_, n) => trigger(workflow, { payload: { n } })));
    expect(responses.map(({ status, body }) => [status, body.payload.n])).toEqual(
      Array.from({ length: 60 }, (_, n) => [201, n]),
    );
    expect(await runsOf(workflow)).toHaveLength(60);
  });
});

describe("wait_secs", () => {
  it("returns the ended run with 200", async () => {
    const workflow = await make({ steps: [{ ...REST, condition: "payload.skip" }] });
    const response = await project.api.post(`${workflow.path}/trigger?wait_secs=30`, { payload: { skip: false } });
    expect([response.status, response.body.status]).toEqual([200, "completed"]);
  });

  it("returns as soon as it ends, even through another instance", async () => {
    const workflow = await make();
    const second = await world.anotherInstance();
    const waiting = project.api.post(`${workflow.path}/trigger?wait_secs=50`, {});
    const run = await until("it to be there", 20_000, async () => (await runsOf(workflow))[0]);
    await fetch(`${second.url}/v1/workflow-runs/${run.id}/cancel`, {
      method: "POST",
      headers: { authorization: `Bearer ${project.key}` },
    });
    const response = await waiting;
    expect([response.status, response.body]).toMatchObject([200, { id: run.id, status: "canceled" }]);
  });

  it("returns 202 with the current run when the time is up, also for a repeated trigger", async () => {
    const workflow = await make();
    const asked = { idempotency_key: "slow" };
    const first = await project.api.post(`${workflow.path}/trigger`, asked);
    const again = await project.api.post(`${workflow.path}/trigger?wait_secs=1`, asked);
    const { id, status } = again.body;
    expect([again.status, id, status]).toEqual([202, first.body.id, "running"]);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
  });

  it.each(["0", "61", "x"])("422 for wait_secs=%s", async (secs) => {
    const response = await project.api.post(`${(await make()).path}/trigger?wait_secs=${secs}`, {});
    expect([response.status, response.body.errors[0].location]).toEqual([422, "query.wait_secs"]);
  });
});

describe("the environment of a triggered workflow run", () => {
  it("A2 is the trigger's, else the key's, else the workflow's, else production", async () => {
    const [staging, production] = [await environment("staging"), await environment("production")];
    const [shared, ofStaging] = [await make(), await make({ environment_id: staging })];
    const bound = (await project.newKey({ environment_id: staging })).api;
    const inEnvironment = async (...given: Parameters<typeof trigger>) => (await trigger(...given)).body.environment_id;
    expect(await inEnvironment(ofStaging, { environment_id: "production" })).toBe(production);
    expect(await inEnvironment(ofStaging, { environment_id: production })).toBe(production);
    expect(await inEnvironment(shared, {}, bound)).toBe(staging);
    expect(await inEnvironment(ofStaging)).toBe(staging);
    expect(await inEnvironment(shared)).toBe(production);
  });

  it("A2 is the key's own for a bound key, and workflows of another are not found", async () => {
    const [staging, production] = [await environment("staging"), await environment("production")];
    const [shared, other] = [await make(), await make({ environment_id: production })];
    const { api } = await project.newKey({ environment_id: staging });
    expect((await trigger(shared, { environment_id: "staging" }, api)).status).toBe(201);
    for (const named of [production, "production"]) {
      const refused = await trigger(shared, { environment_id: named }, api);
      expect([refused.status, refused.body.errors[0].location]).toEqual([422, "body.environment_id"]);
    }
    // Also if this instance has cached the workflow for a caller who may see it.
    expect((await trigger(other)).status).toBe(201);
    expect((await trigger(other, {}, api)).status).toBe(404);
    expect(await runsOf(other)).toHaveLength(1);
  });
});
