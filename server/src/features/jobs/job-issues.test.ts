import { beforeAll, describe, expect, it } from "vitest";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";
import { newId } from "../../platform/ids.ts";

let world: World;
let project: TestProject;
let job: { id: string };
beforeAll(async () => {
  world = await makeWorld({ config: { private_endpoints: "refuse" } });
  project = await world.project();
  job = (await project.api.post("/v1/jobs", MINIMAL)).body;
});

const MINIMAL = { name: "Judged", endpoint_url: "https://jobs.example.com/" };
const LONG = "x".repeat(65);
const limit = { name: "tenant", key: "{{payload.tenant}}", max: 1, window_secs: 1 };

type Case = [fields: Record<string, unknown>, location: string, message: RegExp];

/** Invalid settings, both on creation and on update. */
const ISSUES: Case[] = [
  [{ name: "" }, "body.name", /must not be empty/],
  [{ name: " \t" }, "body.name", /one line/],
  [{ name: "x".repeat(201) }, "body.name", /at most 200/],
  [{ slug: "Not A Slug" }, "body.slug", /lower-case letters/],
  [{ slug: "0190a5b4-0000-7000-8000-000000000000" }, "body.slug", /look like an id/],
  [{ description: "x".repeat(2_001) }, "body.description", /at most 2000/],
  [{ endpoint_url: "" }, "body.endpoint_url", /a URL such as/],
  [{ endpoint_url: "jobs.example.com" }, "body.endpoint_url", /a URL such as/],
  [{ endpoint_url: "ftp://example.com/" }, "body.endpoint_url", /must start with http/],
  [{ endpoint_url: "https://user:pass@example.com/" }, "body.endpoint_url", /user name or password/],
  [{ endpoint_url: "http://127.0.0.1/" }, "body.endpoint_url", /127\.0\.0\.1/],
  [{ endpoint_url: "http://[::1]:8080/" }, "body.endpoint_url", /::1/],
  [{ endpoint_url: "http://metadata.internal/" }, "body.endpoint_url", /not a public one/],
  [{ endpoint_url: "https://example.com:22/" }, "body.endpoint_url", /port/],
  [{ endpoint_url: "https://example.com/#part" }, "body.endpoint_url", /fragment/],
  [{ endpoint_url: `https://example.com/${"x".repeat(2_048)}` }, "body.endpoint_url", /2048/],
  [{ headers: { "X A": "1" } }, 'body.headers["X A"]', /not a valid header name/],
  [{ headers: { "": "1" } }, 'body.headers[""]', /not a valid header name/],
  [{ headers: { "X-É": "1" } }, 'body.headers["X-É"]', /not a valid header name/],
  [{ headers: { Host: "example.com" } }, "body.headers.Host", /set by the service/],
  [{ headers: { "Content-Length": "1" } }, "body.headers.Content-Length", /set by the service/],
  [{ headers: { connection: "close" } }, "body.headers.connection", /set by the service/],
  [{ headers: { "Transfer-Encoding": "chunked" } }, "body.headers.Transfer-Encoding", /set by the service/],
  [{ headers: { "content-type": "text/plain" } }, "body.headers.content-type", /set by the service/],
  [{ headers: { Expect: "100-continue" } }, "body.headers.Expect", /set by the service/],
  [{ headers: { "X-Svc-Attempt": "9" } }, "body.headers.X-Svc-Attempt", /set by the service/],
  [{ headers: { "Idempotency-Key": "k" } }, "body.headers.Idempotency-Key", /set by the service/],
  [{ headers: { traceparent: "00" } }, "body.headers.traceparent", /set by the service/],
  [{ headers: { tracestate: "a=1" } }, "body.headers.tracestate", /set by the service/],
  [{ headers: { "X-Webhook-Signature": "sha256=" } }, "body.headers.X-Webhook-Signature", /set by the service/],
  [{ headers: { "X-A": "1", "x-a": "2" } }, "body.headers.x-a", /is a duplicate/],
  [{ headers: { "X-A": "line\r\nX-B: 1" } }, "body.headers.X-A", /printable/],
  [{ headers: { "X-A": "é" } }, "body.headers.X-A", /printable/],
  [{ headers: { "X-A": 1 } }, "body.headers.X-A", /string/],
  [{ headers: { "X-A": "x".repeat(4_097) } }, "body.headers.X-A", /at most 4096/],
  [{ headers: Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`X-${i}`, ""])) }, "body.headers", /50/],
  [{ environment_id: "" }, "body.environment_id", /must not be empty/],
  [{ environment_id: newId() }, "body.environment_id", /not an environment of this project/],
  [{ tags: { eu: 1 } }, "body.tags.eu", /string/],
  [{ tags: { [LONG]: "1" } }, `body.tags.${LONG}`, /1 to 64 characters/],
  [{ tags: { "a\nb": 1 } }, 'body.tags["a\\nb"]', /string/],
  [{ default_run_metadata: { [LONG]: 1 } }, `body.default_run_metadata.${LONG}`, /1 to 64 characters/],
  [{ tags: ["x".repeat(65)] }, "body.tags[0]", /at most 64/],
  [{ tags: Array(21).fill("a") }, "body.tags", /20/],
  [{ enabled: "yes" }, "body.enabled", /true or false/],
  [{ timeout_secs: 0 }, "body.timeout_secs", /at least 1/],
  [{ timeout_secs: 86_401 }, "body.timeout_secs", /at most 86400/],
  [{ timeout_secs: 1.5 }, "body.timeout_secs", /whole number/],
  [{ timeout_secs: null }, "body.timeout_secs", /whole number/],
  [{ heartbeat_timeout_secs: 4 }, "body.heartbeat_timeout_secs", /at least 5/],
  [{ heartbeat_timeout_secs: 86_401 }, "body.heartbeat_timeout_secs", /at most 86400/],
  [{ max_attempts: 0 }, "body.max_attempts", /at least 1/],
  [{ max_attempts: 101 }, "body.max_attempts", /at most 100/],
  [{ retry_strategy: "never" }, "body.retry_strategy", /exponential, linear, fixed, custom/],
  [{ retry_strategy: "custom" }, "body.retry_delays_secs", /required with the strategy custom/],
  [{ retry_delays_secs: [1] }, "body.retry_delays_secs", /only for the strategy custom/],
  [{ retry_strategy: "fixed", retry_delays_secs: [1] }, "body.retry_delays_secs", /only for the strategy custom/],
  [{ retry_strategy: "custom", retry_delays_secs: [] }, "body.retry_delays_secs", /at least 1 item/],
  [{ retry_strategy: "custom", retry_delays_secs: Array(51).fill(1) }, "body.retry_delays_secs", /at most 50/],
  [{ retry_strategy: "custom", retry_delays_secs: [1, -1] }, "body.retry_delays_secs[1]", /at least 0/],
  [{ retry_strategy: "custom", retry_delays_secs: [86_401] }, "body.retry_delays_secs[0]", /at most 86400/],
  [{ max_concurrency: 0 }, "body.max_concurrency", /at least 1/],
  [{ max_concurrency_per_key: 0 }, "body.max_concurrency_per_key", /at least 1/],
  [{ rate_limit_max: 5 }, "body.rate_limit_window_secs", /given together/],
  [{ rate_limit_window_secs: 5 }, "body.rate_limit_max", /given together/],
  [{ rate_limit_max: 0, rate_limit_window_secs: 5 }, "body.rate_limit_max", /at least 1/],
  [{ rate_limit_max: 5, rate_limit_window_secs: 86_401 }, "body.rate_limit_window_secs", /at most 86400/],
  [{ rate_limit_keys: [{ ...limit, name: "a:b" }] }, "body.rate_limit_keys[0].name", /letters, digits/],
  [{ rate_limit_keys: [limit, { ...limit, max: 2 }] }, "body.rate_limit_keys[1].name", /name of another limit/],
  [{ rate_limit_keys: [{ ...limit, key: "{{payload.a" }] }, "body.rate_limit_keys[0].key", /./],
  [{ rate_limit_keys: [{ ...limit, key: "{{env.A}}" }] }, "body.rate_limit_keys[0].key", /only payload/],
  [{ rate_limit_keys: [{ ...limit, max: 0 }] }, "body.rate_limit_keys[0].max", /at least 1/],
  [{ rate_limit_keys: [{ ...limit, window_secs: 0 }] }, "body.rate_limit_keys[0].window_secs", /at least 1/],
  [{ rate_limit_keys: [{ ...limit, unit: "s" }] }, "body.rate_limit_keys[0].unit", /not a known/],
  [{ rate_limit_keys: [{ name: "a" }] }, "body.rate_limit_keys[0].key", /required/],
  [
    { rate_limit_keys: Array.from({ length: 11 }, (_, i) => ({ ...limit, name: `n${i}` })) },
    "body.rate_limit_keys",
    /10/,
  ],
  [{ default_run_metadata: [] }, "body.default_run_metadata", /object/],
  [{ payload_schema: true }, "body.payload_schema", /object/],
  [{ payload_schema: { type: "strin" } }, "body.payload_schema", /schema\.type must be one of/],
  [{ payload_schema: { $ref: "https://example.com/x" } }, "body.payload_schema", /not fetched/],
  [{ payload_schema: { pattern: "(?=a)" } }, "body.payload_schema", /Invalid pattern/],
  [{ payload_schema: { title: "x".repeat(65_536) } }, "body.payload_schema", /larger than 65536 bytes/],
  [{ result_schema: { required: "a" } }, "body.result_schema", /schema\.required must be a list/],
  [{ cron: "" }, "body.cron", /must not be empty/],
  [{ cron: "* * *" }, "body.cron", /3 fields/],
  [{ cron: "61 * * * *" }, "body.cron", /not a cron expression/],
  [{ cron: "0 0 30 2 *" }, "body.cron", /never fires/],
  [{ cron: "@sometimes" }, "body.cron", /no such name/],
  [{ timezone: "Mars/Olympus" }, "body.timezone", /IANA/],
  [{ cron: "@daily", timezone: "Mars/Olympus" }, "body.timezone", /IANA/],
  [{ cron_overlap_policy: "queue" }, "body.cron_overlap_policy", /allow, skip, cancel_running/],
  [{ dedup_window_secs: 0 }, "body.dedup_window_secs", /at least 1/],
  [{ debounce_window_secs: 0 }, "body.debounce_window_secs", /at least 1/],
  [{ run_ttl_secs: 0 }, "body.run_ttl_secs", /at least 1/],
  [{ priority: 101 }, "body.priority", /at most 100/],
  [{ priority: -101 }, "body.priority", /at least -100/],
  [{ estimated_cost_microusd: -1 }, "body.estimated_cost_microusd", /at least 0/],
  [{ max_cost_microusd: -1 }, "body.max_cost_microusd", /at least 0/],
  [{ on_failure_job_id: "a-slug" }, "body.on_failure_job_id", /not a job of this project/],
  [{ on_failure_job_id: newId() }, "body.on_failure_job_id", /not a job of this project/],
  [{ cancel_on: [{ event_key: "a\nb" }] }, "body.cancel_on[0].event_key", /not an event key/],
  [{ cancel_on: [{ event_key: ".." }] }, "body.cancel_on[0].event_key", /not an event key/],
  [{ cancel_on: [{ event_key: "{{item}}" }] }, "body.cancel_on[0].event_key", /only payload/],
  [{ cancel_on: [{ event_key: "x".repeat(513) }] }, "body.cancel_on[0].event_key", /at most 512/],
  [{ cancel_on: Array(11).fill({ event_key: "a" }) }, "body.cancel_on", /10/],
  [{ endpoint: "https://example.com/" }, "body.endpoint", /not a known field/],
  [{ revision: 5 }, "body.revision", /not a known field/],
];

const named = ISSUES.map(([fields, location, message]): [string, ...Case] => [
  JSON.stringify(fields).slice(0, 80),
  fields,
  location,
  message,
]);

/** The issue, reported at its location. */
function issueAt(location: string, message: RegExp) {
  return expect.arrayContaining([expect.objectContaining({ location, message: expect.stringMatching(message) })]);
}

describe("an invalid job", () => {
  it.each(named)("422 on creation, with the location: %s", async (_, fields, location, message) => {
    const response = await project.api.post("/v1/jobs", { ...MINIMAL, ...fields });
    expect([response.status, response.body.errors]).toEqual([422, issueAt(location, message)]);
  });

  it.each(named)(
    "422 on update, with the location, without changing anything: %s",
    async (_, fields, location, message) => {
      const response = await project.api.patch(`/v1/jobs/${job.id}`, { description: "Changed", ...fields });
      expect([response.status, response.body.errors]).toEqual([422, issueAt(location, message)]);
      expect((await project.api.get(`/v1/jobs/${job.id}`)).body).toEqual(job);
    },
  );

  it("422 without a name or an endpoint", async () => {
    const { body } = await project.api.post("/v1/jobs", {});
    expect(body.errors.map((issue: { location: string }) => issue.location)).toEqual([
      "body.name",
      "body.endpoint_url",
    ]);
  });

  it("reports all its issues at once, without any header value", async () => {
    const response = await project.api.post("/v1/jobs", {
      ...MINIMAL,
      endpoint_url: "http://10.0.0.1/",
      headers: { Host: "hush-hush" },
      payload_schema: { type: 1 },
      rate_limit_max: 1,
      retry_strategy: "custom",
      timezone: "Nowhere",
    });
    expect(response.body.errors.map((issue: { location: string }) => issue.location)).toEqual([
      "body.endpoint_url",
      "body.headers.Host",
      "body.payload_schema",
      "body.timezone",
      "body.retry_delays_secs",
      "body.rate_limit_window_secs",
    ]);
    expect(response.body.detail).toContain("(and 5 more)");
    expect(response.text).not.toContain("hush-hush");
  });

  it("422 when it refers to itself, or to a job or environment of another project", async () => {
    const itself = await project.api.patch(`/v1/jobs/${job.id}`, { on_failure_job_id: job.id });
    expect(itself.body.errors).toEqual(issueAt("body.on_failure_job_id", /is the job itself/));
    const other = await world.project();
    const theirs = (await other.api.post("/v1/jobs", MINIMAL)).body.id;
    const jobResponse = await project.api.post("/v1/jobs", { ...MINIMAL, on_failure_job_id: theirs });
    expect(jobResponse.body.errors).toEqual(issueAt("body.on_failure_job_id", /not a job of this project/));
    const environment_id = (await other.api.get("/v1/environments/staging")).body.id;
    const response = await project.api.post("/v1/jobs", { ...MINIMAL, environment_id });
    expect(response.body.errors).toEqual(issueAt("body.environment_id", /not an environment of this project/));
  });
});

describe("a job at the limits", () => {
  it.each([
    { name: "x".repeat(200), slug: "a".repeat(63) },
    { endpoint_url: "http://example.com/a%20b?c=d&e={f}".replace("{f}", "%7Bf%7D") },
    { headers: Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`X-${i}`, " ~"])) },
    { headers: { Authorization: "x".repeat(4_096), "!#$%&'*+.^_`|~-": "" } },
    { tags: Array.from({ length: 20 }, (_, i) => `t${i}`) },
    { timeout_secs: 1, heartbeat_timeout_secs: 86_400, max_attempts: 1 },
    { retry_strategy: "custom", retry_delays_secs: Array(50).fill(86_400) },
    { rate_limit_keys: Array.from({ length: 10 }, (_, i) => ({ ...limit, name: `n.${i}` })) },
    { rate_limit_keys: [{ ...limit, key: "everybody" }], rate_limit_max: 1_000_000, rate_limit_window_secs: 86_400 },
    { cron: "@hourly" },
    { cron: "*/10 * * * * *" },
    { cron: "0 0 29 2 *", timezone: "America/Argentina/Buenos_Aires" },
    { estimated_cost_microusd: 0, max_cost_microusd: 0 },
    { cancel_on: [{ event_key: "x".repeat(512) }] },
    { payload_schema: { title: "x".repeat(65_000) } },
  ])("201: %j", async (fields) => {
    const response = await project.api.post("/v1/jobs", { ...MINIMAL, ...fields });
    expect(response.status, response.text).toBe(201);
    await project.api.delete(`/v1/jobs/${response.body.id}`);
  });
});
