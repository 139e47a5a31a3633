import { randomUUID } from "node:crypto";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { beforeAll, describe, expect, it } from "vitest";
import { type HttpResponse, sendHttp } from "../../../test/outside/http-request.ts";
import { makeFlowWorld } from "../../../test/world/flow-world.ts";
import type { TestProject, World } from "../../../test/world/world.ts";

const LIMIT = 40;

let world: World;
let project: TestProject;
let path: string;
beforeAll(async () => {
  world = await makeFlowWorld({ config: { rate_limits: { api: 0, trigger: LIMIT, bulk_trigger: 0 } } });
  project = await world.project();
  const job = await project.api.post("/v1/jobs", {
    name: "Job",
    slug: "a-job",
    endpoint_url: "http://127.0.0.1:1025/",
    payload_schema: { type: "object", properties: { n: { type: "integer" } } },
  });
  path = `/v1/jobs/${job.body.slug}/trigger`;
});

const PLAIN = "application/json";
/** The fast path leaves requests whose media type has a parameter to Fastify. */
const NOT_PLAIN = "application/json; charset=utf-8";

function trigger(body: string, type: string, { to = path, key = project.key } = {}): Promise<HttpResponse> {
  const headers = { authorization: `Bearer ${key}`, "content-type": type };
  return sendHttp(world.url, { method: "POST", path: to, headers, body });
}

/** Without what differs from request to request. */
function comparable({ status, headers, body }: HttpResponse) {
  const { date: _date, "x-request-id": _id, "content-length": _length, ...others } = headers;
  const remaining = Number(others["ratelimit-remaining"]);
  const { id: _, request_id: __, created_at, updated_at, scheduled_at, started_at, ...fields } = JSON.parse(body);
  return { status, remaining, headers: { ...others, "ratelimit-remaining": "", "ratelimit-reset": "" }, fields };
}

describe("a plain request of a busy route", () => {
  it.each([
    ["a payload", '{"payload":{"n":1}}'],
    ["every other field", '{"tags":["a"],"metadata":{"m":1},"priority":3,"delay_secs":60,"timeout_secs":5}'],
    ["a schema link, which is ignored", '{"$schema":"x","payload":{}}'],
    ["its own project", '{"project_id":"PROJECT","payload":{}}'],
    ["another project", '{"project_id":"01a1f04d-f50f-7c01-a4dc-bd074007d70f"}'],
    ["an unknown field", '{"paylod":1}'],
    ["a payload that the job refuses", '{"payload":{"n":"x"}}'],
    ["malformed JSON", '{"payload":'],
    ["a duplicate key", '{"payload":1,"payload":2}'],
    ["null", "null"],
    ["a number that would be rounded", '{"payload":12345678901234567890}'],
  ])("gets the same response as any other, and counts once against its limit: %s", async (_, text) => {
    const body = text.replace("PROJECT", project.id);
    const viaFastify = comparable(await trigger(body, NOT_PLAIN));
    const fast = comparable(await trigger(body, PLAIN));
    expect({ ...fast, remaining: fast.remaining + 1 }).toEqual(viaFastify);
  });

  it.each([
    ["an unknown job", { to: "/v1/jobs/nothing/trigger" }],
    ["an unknown key", { key: "svc_0000000000000000000000000000000000000000" }],
  ])("gets the same problem: %s", async (_, given) => {
    const [viaFastify, fast] = [await trigger("{}", NOT_PLAIN, given), await trigger("{}", PLAIN, given)].map(
      comparable,
    );
    expect({ ...fast, remaining: 0 }).toEqual({ ...viaFastify, remaining: 0 });
  });

  it("starts a run of a workflow", async () => {
    const steps = [{ step_ref: "s", job_id: "a-job" }];
    await project.api.post("/v1/workflows", { name: "Workflow", slug: "a-workflow", steps });
    const to = "/v1/workflows/a-workflow/trigger";
    const [viaFastify, fast] = [
      await trigger('{"payload":{}}', NOT_PLAIN, { to }),
      await trigger('{"payload":{}}', PLAIN, { to }),
    ];
    expect([fast.status, Object.keys(JSON.parse(fast.body))]).toEqual([201, Object.keys(JSON.parse(viaFastify.body))]);
  });

  it("keeps the caller's request id", async () => {
    const headers = { authorization: `Bearer ${project.key}`, "content-type": PLAIN, "x-request-id": "mine" };
    const response = await sendHttp(world.url, { method: "POST", path, headers, body: "{}" });
    expect([response.status, response.headers["x-request-id"]]).toEqual([201, "mine"]);
  });

  it("gets a receipt in place of a run that its key may not read", async () => {
    const { key } = await project.newKey({ scopes: ["jobs:trigger"] });
    const [viaFastify, fast] = [await trigger("{}", NOT_PLAIN, { key }), await trigger("{}", PLAIN, { key })].map(
      comparable,
    );
    expect(fast?.fields).toEqual(viaFastify?.fields);
    expect(fast?.status).toBe(201);
    expect(fast?.fields).not.toHaveProperty("payload");
  });
});

/** How many requests Fastify's handlers get meanwhile. */
async function handledByFastify(work: () => Promise<unknown>): Promise<number> {
  let handled = 0;
  const count = () => void handled++;
  subscribe("tracing:fastify.request.handler:start", count);
  await work();
  unsubscribe("tracing:fastify.request.handler:start", count);
  return handled;
}

describe("the fast path", () => {
  it.each([
    ["a trigger", undefined, () => ({ payload: { n: 1 } })],
    ["a claim of a worker", "/worker/v1/claims", () => ({ worker_id: "w", claim_id: randomUUID() })],
    ["results of a worker", "/worker/v1/results", () => ({ worker_id: "w", results: [] })],
  ])("serves %s without Fastify", async (_, to, body) => {
    const send = (type: string) => async () => {
      const { status, body: text } = await trigger(JSON.stringify(body()), type, to === undefined ? {} : { to });
      expect(status, text).toBeLessThan(300);
    };
    expect([await handledByFastify(send(NOT_PLAIN)), await handledByFastify(send(PLAIN))]).toEqual([1, 0]);
  });
});

describe("a plain request of a worker", () => {
  const claim = (fields: object = {}) => JSON.stringify({ worker_id: "w", claim_id: randomUUID(), ...fields });
  const both = async (body: () => string, given: { to?: string; key?: string } = {}) => {
    const asked = { to: "/worker/v1/claims", ...given };
    const viaFastify = comparable(await trigger(body(), NOT_PLAIN, asked));
    return { viaFastify, fast: comparable(await trigger(body(), PLAIN, asked)) };
  };

  it.each([
    ["nothing to claim", 200, { jobs: ["absent"] }],
    ["a queue that does not exist", 422, { queues: ["absent"] }],
    ["an unknown field", 422, { wait: 1 }],
    ["more than it may claim", 422, { max: 101 }],
  ])("gets the same response as any other: %s", async (_, status, fields) => {
    const { viaFastify, fast } = await both(() => claim(fields));
    expect(fast).toEqual(viaFastify);
    expect(fast.status).toBe(status);
  });

  it("claims a run and reports its result", async () => {
    const job = { name: "Pulled", slug: "pulled", delivery: "pull" };
    expect((await project.api.post("/v1/jobs", job)).status).toBe(201);
    for (const _ of [1, 2]) await project.api.post("/v1/jobs/pulled/trigger", {});
    const { viaFastify, fast } = await both(() => claim({ jobs: ["pulled"], wait_secs: 20 }));
    expect(Object.keys(fast.fields.runs[0])).toEqual(Object.keys(viaFastify.fields.runs[0]));
    const results = [viaFastify, fast].map(({ fields }) => {
      const { run_id, attempt, lease_token } = fields.runs[0];
      return { run_id, attempt, lease_token, status: "completed" };
    });
    const report = () => JSON.stringify({ worker_id: "w", results: [results.pop()] });
    const reported = await both(report, { to: "/worker/v1/results" });
    for (const { status, fields } of Object.values(reported))
      expect([status, fields.results[0].outcome]).toEqual([200, "settled"]);
  });

  it("is refused without the scope, and once its key is revoked", async () => {
    const { key: other } = await project.newKey({ scopes: ["jobs:read"] });
    const unscoped = await both(() => claim(), { key: other });
    expect(unscoped.fast).toEqual(unscoped.viaFastify);
    expect(unscoped.fast.status).toBe(403);
    const { key, api, id } = await project.newKey({ scopes: ["runs:work"] });
    expect((await api.post("/worker/v1/claims", JSON.parse(claim()))).status).toBe(200);
    expect((await project.api.delete(`/v1/api-keys/${id}`)).status).toBe(204);
    const revoked = await both(() => claim(), { key });
    expect(revoked.fast).toEqual(revoked.viaFastify);
    expect([revoked.fast.status, revoked.fast.fields.code]).toEqual([401, "key_revoked"]);
  });
});
