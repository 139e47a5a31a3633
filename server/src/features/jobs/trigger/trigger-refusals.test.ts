import { beforeAll, describe, expect, it } from "vitest";
import { runSql } from "../../../../test/world/database.ts";
import { makeWorld, type TestProject, type World } from "../../../../test/world/world.ts";
import { newId } from "../../../platform/ids.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld();
  project = await world.project();
});

async function makeJob(fields: object = {}, { api }: Pick<TestProject, "api"> = project) {
  const response = await api.post("/v1/jobs", { name: "Job", endpoint_url: "http://127.0.0.1:1025/", ...fields });
  if (response.status !== 201) throw new Error(response.text);
  return response.body as { id: string; slug: string };
}
const trigger = ({ id }: { id: string }, body: unknown = {}, query = "") =>
  project.api.post(`/v1/jobs/${id}/trigger${query}`, body);
const countRuns = async (job: { id: string }) =>
  (await runSql(world.connection, "select 1 from runs where job_id = $1", [job.id])).length;

describe("a rejected trigger", () => {
  it.each<[object, string]>([
    [{ paylod: {} }, "body.paylod"],
    [{ batch_id: newId() }, "body.batch_id"],
    [{ created_by: "me" }, "body.created_by"],
    [{ priority: 101 }, "body.priority"],
    [{ priority: 1.5 }, "body.priority"],
    [{ priority: "1" }, "body.priority"],
    [{ delay_secs: -1 }, "body.delay_secs"],
    [{ delay_secs: 31_536_001 }, "body.delay_secs"],
    [{ delay_secs: 1, scheduled_at: "2030-01-01T00:00:00Z" }, "body.delay_secs"],
    [{ scheduled_at: "tomorrow" }, "body.scheduled_at"],
    [{ scheduled_at: "2030-02-30T00:00:00Z" }, "body.scheduled_at"],
    [{ scheduled_at: "0000-01-01T00:00:00Z" }, "body.scheduled_at"],
    [{ scheduled_at: "2016-12-31T23:59:60Z" }, "body.scheduled_at"],
    [{ timeout_secs: 0 }, "body.timeout_secs"],
    [{ max_attempts: 0 }, "body.max_attempts"],
    [{ max_attempts: 101 }, "body.max_attempts"],
    [{ concurrency_key: "" }, "body.concurrency_key"],
    [{ concurrency_key: "x".repeat(257) }, "body.concurrency_key"],
    [{ idempotency_key: "" }, "body.idempotency_key"],
    [{ idempotency_key: "x".repeat(257) }, "body.idempotency_key"],
    [{ environment_id: 5 }, "body.environment_id"],
    [{ parent_run_id: "not-an-id" }, "body.parent_run_id"],
    [{ tags: { a: 1 } }, "body.tags"],
    [{ metadata: [] }, "body.metadata"],
    [{ metadata: Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`k${n}`, n])) }, "body.metadata"],
    [{ dry_run: "yes" }, "body.dry_run"],
  ])("422 for %j", async (body, location) => {
    const job = await makeJob();
    const { status, body: problem } = await trigger(job, body);
    expect([status, problem.errors?.[0]?.location.slice(0, location.length)]).toEqual([422, location]);
    expect(await countRuns(job)).toBe(0);
  });

  it.each(["?wait_secs=0", "?wait_secs=61", "?wait_secs=1.5", "?wait=1"])("422 for the query %s", async (query) => {
    expect((await trigger(await makeJob(), {}, query)).status).toBe(422);
  });

  it.each<[string, number]>([
    ["{", 400],
    ["[]", 422],
    ["null", 422],
    ['{"payload": 12345678901234567890}', 422],
    ['{"payload": "\\u0000"}', 400],
    ['{"payload": "\\ud800"}', 400],
  ])("the body %s is %i", async (body, status) => {
    const response = await trigger(await makeJob(), body);
    expect(response.status).toBe(status);
  });

  it("413 for a body above 1 MB", async () => {
    expect((await trigger(await makeJob(), { payload: "x".repeat(1_048_576) })).status).toBe(413);
  });

  it("404 for a job that is unknown, of another project, or deleted", async () => {
    const [foreign, deleted] = [await makeJob({}, await world.project()), await makeJob({ slug: "gone" })];
    expect((await trigger(deleted)).status).toBe(201);
    await project.api.delete(`/v1/jobs/${deleted.id}`);
    for (const id of [newId(), "no-such-job", foreign.id, deleted.id, "gone"]) {
      const response = await trigger({ id });
      expect([response.status, response.body.code, response.body.detail]).toEqual([
        404,
        "not_found",
        "There is no such job.",
      ]);
    }
    expect(await countRuns(foreign)).toBe(0);
  });

  it("409 for a disabled job, until it is enabled again", async () => {
    const job = await makeJob({ enabled: false });
    const refused = await trigger(job);
    expect([refused.status, refused.body.code]).toEqual([409, "job_disabled"]);
    await project.api.patch(`/v1/jobs/${job.id}`, { enabled: true });
    expect((await trigger(job)).status).toBe(201);
    await project.api.patch(`/v1/jobs/${job.id}`, { enabled: false });
    expect((await trigger(job)).status).toBe(409);
    expect(await countRuns(job)).toBe(1);
  });

  it("422 for a payload that does not match the job's payload_schema, with every location", async () => {
    const job = await makeJob({
      payload_schema: {
        type: "object",
        required: ["order"],
        properties: {
          order: { type: "object", properties: { id: { type: "integer" }, lines: { items: { type: "string" } } } },
        },
        additionalProperties: false,
      },
    });
    const { status, body } = await trigger(job, { payload: { order: { id: "7", lines: ["a", 1] }, extra: 1 } });
    expect([status, body.code]).toEqual([422, "payload_invalid"]);
    expect(body.errors.map((error: { location: string }) => error.location).toSorted()).toEqual([
      "body.payload.extra",
      "body.payload.order.id",
      "body.payload.order.lines[1]",
    ]);
    expect((await trigger(job)).body.errors[0].location).toMatch(/^body\.payload/);
    expect((await trigger(job, { payload: { order: { id: 7 } } })).status).toBe(201);
    expect(await countRuns(job)).toBe(1);
  });

  it("is checked against the current job, not against the cached one", async () => {
    const job = await makeJob({ payload_schema: { type: "object", required: ["a"] } });
    const other = await world.anotherInstance();
    const change = (fields: object) =>
      fetch(`${other.url}/v1/jobs/${job.id}`, {
        method: "PATCH",
        headers: { authorization: `Bearer ${project.key}`, "content-type": "application/json" },
        body: JSON.stringify(fields),
      });
    expect((await trigger(job)).status).toBe(422);
    await change({ payload_schema: null });
    expect((await trigger(job)).status).toBe(201);
    await change({ payload_schema: { type: "object", required: ["b"] } });
    expect((await trigger(job, { payload: { a: 1 } })).status).toBe(422);
    await change({ enabled: false });
    expect((await trigger(job, { payload: { b: 1 } })).status).toBe(409);
  });

  it("R5 422 when the key of a rate limit cannot be rendered from the payload", async () => {
    const rate_limit_keys = [{ name: "tenant", key: "{{payload.tenant.id}}", max: 1, window_secs: 1 }];
    const job = await makeJob({ rate_limit_keys });
    const refused = await trigger(job, { payload: { tenant: {} } });
    expect([refused.status, refused.body.code]).toEqual([422, "payload_invalid"]);
    expect(refused.body.detail).toBe(
      'The key "{{payload.tenant.id}}" of the rate limit "tenant" cannot be rendered: payload.tenant.id is missing: payload.tenant is an object without id.',
    );
    expect((await trigger(job, { payload: { tenant: { id: 1 } } })).status).toBe(201);
  });
});

describe("dry_run", () => {
  it("returns the run as it would be, and creates nothing", async () => {
    await world.clock.set("2030-06-01T00:00:00Z");
    const job = await makeJob({ default_run_metadata: { a: 1 }, tags: { t: "1" } });
    const { status, body } = await trigger(job, {
      dry_run: true,
      payload: { x: 1 },
      idempotency_key: "k",
      delay_secs: 60,
    });
    expect([status, body.$schema]).toEqual([200, `${world.url}/schemas/Run.json`]);
    expect(body).toMatchObject({
      job_id: job.id,
      status: "pending",
      payload: { x: 1 },
      metadata: { a: 1 },
      tags: { t: "1" },
      scheduled_at: expect.stringMatching(/^2030-06-01T00:01:0/),
      created_at: expect.stringMatching(/^2030-06-01T00:00:0/),
    });
    expect(await countRuns(job)).toBe(0);
    expect((await trigger(job, { idempotency_key: "k", payload: "other" })).status).toBe(201);
  });

  it("rejects what a trigger would reject", async () => {
    const strict = await makeJob({ payload_schema: { type: "string" } });
    expect((await trigger(strict, { dry_run: true })).status).toBe(422);
    expect((await trigger(await makeJob({ enabled: false }), { dry_run: true })).status).toBe(409);
    expect((await trigger({ id: newId() }, { dry_run: true })).status).toBe(404);
    expect((await trigger(strict, { dry_run: true, payload: "x", parent_run_id: newId() })).status).toBe(422);
  });
});

describe("too many triggers from one address", () => {
  it("O4 are rejected with the time to wait, without affecting other calls", async () => {
    const limited = await makeWorld({ config: { rate_limits: { api: 0, trigger: 3, bulk_trigger: 0 } } });
    const { api } = await limited.project();
    const job = await makeJob({}, { api });
    const responses = await Promise.all(Array.from({ length: 5 }, () => api.post(`/v1/jobs/${job.id}/trigger`)));
    expect(responses.map(({ status }) => status).toSorted()).toEqual([201, 201, 201, 429, 429]);
    const refused = responses.find(({ status }) => status === 429);
    expect(refused?.body.code).toBe("rate_limited");
    expect(Number(refused?.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await api.get(`/v1/jobs/${job.id}`)).status).toBe(200);
    expect(await runSql(limited.connection, "select 1 from runs where job_id = $1", [job.id])).toHaveLength(3);
  });
});
