import { beforeAll, describe, expect, it } from "vitest";
import { makeJob, makeWorkflow, REST } from "../../../test/seed/make-workflow.ts";
import { makeWorld, type TestProject } from "../../../test/world/world.ts";
import { newId } from "../../platform/ids.ts";

let project: TestProject;
const paths: Record<string, string> = {};
beforeAll(async () => {
  const world = await makeWorld({ config: { private_endpoints: "refuse" } });
  project = await world.project();
  paths.job = `/v1/jobs/${(await makeJob(project)).id}`;
  paths.workflow = `/v1/workflows/${(await makeWorkflow(project)).id}`;
  const source = await project.api.post("/v1/event-sources", { name: "Orders" });
  paths.source = `/v1/event-sources/${source.body.id}`;
});

const sleep = (step_ref: string, more: object = {}) => ({ ...REST, step_ref, ...more });

/** One step has an unknown type, and one an invalid enum; others form a cycle, or cannot be rendered or evaluated. */
const STEPS = [
  sleep("a", { type: "dance", condition: "payload." }),
  sleep("b", { on_failure: "retry" }),
  sleep("c", { depends_on: ["d"] }),
  sleep("d", { depends_on: ["c", "nobody"] }),
  { step_ref: "e", type: "wait_for_event", event_key: "{{env.A}}", timeout_secs: "1" },
  { step_ref: "f", job_id: newId(), payload: { of: "{{parent_outputs.b.x}}" }, max_attempts: 0 },
];
const IN_STEPS = [
  "body.steps[0].type",
  "body.steps[1].on_failure",
  "body.steps[4].timeout_secs",
  "body.steps[0].condition",
  "body.steps[3].depends_on[1]",
  "body.steps[4].event_key",
  "body.steps[5].job_id",
  "body.steps[5].max_attempts",
  "body.steps[5].payload.of",
  "body.steps[3].depends_on[0]",
];
const TIMES = { cron: "61 * * * *", timezone: "Mars/Olympus" };
const PRIVATE = "http://10.0.0.1/";

type Case = [method: "post" | "patch", path: string, body: object, locations: string[]];

/** Each has an issue that its schema reports, and others that it does not. */
const CASES: Case[] = [
  [
    "post",
    "/v1/workflows",
    { name: 1, slug: newId(), steps: STEPS, cancel_on: [{ event_key: ".." }], ...TIMES },
    ["body.name", ...IN_STEPS, "body.slug", "body.cancel_on[0].event_key", "body.cron", "body.timezone"],
  ],
  ["patch", "{workflow}", { steps: STEPS, ...TIMES }, [...IN_STEPS, "body.cron", "body.timezone"]],
  ["post", "{workflow}/plan", { steps: STEPS }, IN_STEPS],
  ["post", "{workflow}/shadow", { steps: STEPS, last: 1 }, IN_STEPS],
  [
    "post",
    "/v1/jobs",
    { name: 1, endpoint_url: PRIVATE, rate_limit_max: 1, payload_schema: { type: "strin" }, ...TIMES },
    [
      "body.name",
      "body.endpoint_url",
      "body.payload_schema",
      "body.cron",
      "body.timezone",
      "body.rate_limit_window_secs",
    ],
  ],
  [
    "post",
    "/v1/jobs",
    { name: "Job", endpoint_url: PRIVATE, retry_strategy: "never", retry_delays_secs: [1] },
    ["body.retry_strategy", "body.endpoint_url"],
  ],
  [
    "patch",
    "{job}",
    { name: 1, endpoint_url: PRIVATE, rate_limit_max: 1, headers: { "a b": "1" } },
    ["body.name", "body.endpoint_url", 'body.headers["a b"]'],
  ],
  [
    "post",
    "/v1/schedules",
    { overlap_policy: "queue", ...TIMES },
    ["body.overlap_policy", "body.cron", "body.timezone"],
  ],
  [
    "post",
    "/v1/event-sources",
    { name: 1, secret: "0123456789abcdef", payload_schema: { type: "strin" } },
    ["body.name", "body.payload_schema", "body.secret"],
  ],
  [
    "post",
    "{source}/subscriptions",
    { enabled: 1, filter: "1 +", payload: "{{env.A}}" },
    ["body.enabled", "body.filter", "body.payload"],
  ],
  [
    "post",
    "/v1/webhook-subscriptions",
    { url: PRIVATE, events: ["nothing"], filter: "1 +" },
    ["body.events[0]", "body.url", "body.filter"],
  ],
  [
    "post",
    "/v1/log-drains",
    { name: 1, url: PRIVATE, auth: { type: "bearer" } },
    ["body.name", "body.url", "body.auth.token"],
  ],
];

describe("a body that its schema refuses", () => {
  it.each(CASES)("gets all its other issues as well: %s %s", async (method, path, body, locations) => {
    const response = await project.api[method](
      path.replace(/\{(\w+)\}/, (_, name) => paths[name] ?? ""),
      body,
    );
    expect(response.status, response.text).toBe(422);
    expect(response.body.errors.map((issue: { location: string }) => issue.location)).toEqual(locations);
  });

  it("omits premature reads when the step order is undetermined, but reports all other issues", async () => {
    const steps = [
      sleep("a"),
      sleep("b", { depends_on: ["a", 5], condition: "steps.a.status == 'completed'" }),
      { step_ref: "c", job_id: "nobody", payload: "{{env.A}}" },
    ];
    const { body } = await project.api.post("/v1/workflows", { name: "Order", steps });
    expect(body.errors.map(({ location }: { location: string }) => location)).toEqual([
      "body.steps[1].depends_on[1]",
      "body.steps[2].job_id",
      "body.steps[2].payload",
    ]);
  });
});

describe("a body that its schema accepts", () => {
  it.each([
    ["/v1/schedules", { ...TIMES, environment_id: newId() }, ["cron", "timezone", "environment_id", "job_id"]],
    [
      "/v1/jobs",
      { name: "Job", endpoint_url: PRIVATE, environment_id: newId(), on_failure_job_id: newId(), ...TIMES },
      ["endpoint_url", "cron", "timezone", "environment_id", "on_failure_job_id"],
    ],
    [
      "/v1/webhook-subscriptions",
      { url: PRIVATE, events: ["*"], filter: "1 +", environment_id: newId() },
      ["url", "filter", "environment_id"],
    ],
    [
      "/v1/log-drains",
      { name: "Drain", url: PRIVATE, environment_id: newId(), job_ids: ["nobody"] },
      ["environment_id", "url", "job_ids[0]"],
    ],
    [
      "/v1/event-sources",
      { name: "Source", signature: "stripe", payload_schema: { type: "strin" } },
      ["payload_schema", "secret"],
    ],
    ["{source}/subscriptions", { filter: "1 +", environment_id: newId() }, ["filter", "job_id", "environment_id"]],
  ])("gets all its issues: POST %s", async (path, body, fields) => {
    const response = await project.api.post(
      path.replace(/\{(\w+)\}/, (_, name) => paths[name] ?? ""),
      body,
    );
    expect(response.status, response.text).toBe(422);
    expect(response.body.errors.map(({ location }: { location: string }) => location)).toEqual(
      fields.map((field) => `body.${field}`),
    );
  });
});

describe("a body with very many issues", () => {
  it.each([
    ["its schema refuses", 1, 121],
    ["its schema accepts", "Order", 120],
  ])("that %s gets a hundred of them, and the total", async (_which, name, issues) => {
    const steps = Array.from({ length: 120 }, (_, n) => sleep(`s${n}`, { depends_on: ["nobody"] }));
    const { status, body } = await project.api.post("/v1/workflows", { name, steps });
    expect([status, body.errors.length]).toEqual([422, 100]);
    expect(body.detail).toContain(`(and ${issues - 1} more)`);
  });
});
