import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type DrainReceiver, drainReceiver } from "../../../../test/outside/drain-receiver.ts";
import { type JobEndpoint, jobEndpoint } from "../../../../test/outside/job-endpoint.ts";
import { makeJob, makeWorkflow } from "../../../../test/seed/make-workflow.ts";
import { sdkOf } from "../../../../test/seed/running-run.ts";
import { runSql } from "../../../../test/world/database.ts";
import { makeWorld, type TestProject, type World } from "../../../../test/world/world.ts";
import { drainerOf } from "../drainer.ts";

type Span = {
  traceId: string;
  traceState?: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: { key: string; value: { stringValue?: string; intValue?: string } }[];
  status: { code: number; message?: string };
  links?: { traceId: string; spanId: string }[];
};

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const CALLER = "00f067aa0ba902b7";
const [UNSET, OK, ERROR] = [0, 1, 2];

let world: World;
let project: TestProject;
let receiver: DrainReceiver;
let endpoint: JobEndpoint;
beforeAll(async () => {
  world = await makeWorld();
});
beforeEach(async () => {
  await runSql(world.connection, "delete from log_drains");
  project = await world.project();
  receiver = await drainReceiver();
  endpoint = await jobEndpoint();
});

const create = async (fields: object = {}) =>
  project.api.post("/v1/log-drains", { name: "Collector", url: receiver.url, signal: "traces", ...fields });
const job = (name: string, fields: object = {}) => makeJob(project, { name, endpoint_url: endpoint.url, ...fields });
const trigger = (path: string, traceparent?: string, body = {}, state?: string) =>
  project.api.post(`${path}/trigger`, body, {
    headers: { ...(traceparent && { traceparent }), ...(state && { tracestate: state }) },
  });

async function spans(): Promise<Span[]> {
  await world.clock.pass("1s");
  await world.tick("drain-logs");
  await drainerOf(world.ctx).idle();
  return receiver.taken.flatMap(({ body }) => JSON.parse(body).resourceSpans[0].scopeSpans[0].spans);
}

/** The names of a trace as a tree, children in the order of their beginning. */
function treeOf(all: Span[], parent?: string): object {
  const below = all
    .filter(({ parentSpanId }) => parentSpanId === parent)
    .sort((one, other) => Number(BigInt(one.startTimeUnixNano) - BigInt(other.startTimeUnixNano)));
  return Object.fromEntries(below.map(({ name, spanId }) => [name, treeOf(all, spanId)]));
}

const attribute = ({ attributes }: Span, name: string) => {
  const value = attributes.find(({ key }) => key === name)?.value;
  return value?.stringValue ?? value?.intValue;
};
const named = (all: Span[], name: string) => {
  const [found] = all.filter((each) => each.name === name);
  if (!found) throw new Error(`no span ${name} among ${all.map((each) => each.name).join(", ")}`);
  return found;
};

describe("a drain of traces", () => {
  it("H5 continues the caller's trace through attempts, steps, items, children and spawned runs", async () => {
    await create();
    const [charge, mail, ship] = [
      await job("Charge", { max_attempts: 2, retry_strategy: "custom", retry_delays_secs: [1] }),
      await job("Mail"),
      await job("Ship"),
    ];
    const child = await makeWorkflow(project, {
      name: "Delivery",
      steps: [{ step_ref: "ship", type: "job", job_id: ship.id }],
    });
    const workflow = await makeWorkflow(project, {
      name: "Order",
      steps: [
        { step_ref: "charge", type: "job", job_id: charge.id },
        { step_ref: "pause", type: "sleep", sleep_duration: "10s", depends_on: ["charge"] },
        { step_ref: "mails", type: "map", job_id: mail.id, items: [1, 2], depends_on: ["pause"] },
        { step_ref: "deliver", type: "sub_workflow", workflow_id: child.id, depends_on: ["mails"] },
      ],
    });
    endpoint.respondWith(500, async ({ headers }, response) => {
      if (headers["x-svc-job-id"] === ship.id) {
        const sdk = sdkOf(world, String(headers["x-svc-run-id"]), String(headers["x-svc-run-token"]));
        await sdk.post("/spawn", { job_id: mail.id });
      }
      response.writeHead(200).end("{}");
    });
    const { body } = await trigger(workflow.path, `00-${TRACE}-${CALLER}-01`, {}, "vendor=a, other=b");
    for (let nth = 0; nth < 8; nth++) {
      await world.runUntilIdle();
      await world.clock.pass("10s");
    }
    const all = await spans();
    expect(treeOf(all, CALLER)).toEqual({
      "workflow order": {
        "step charge": { "run charge": { "attempt 1": {}, "attempt 2": {} } },
        "step pause": {},
        "step mails": { "run mail": { "attempt 1": {} } },
        "step deliver": {
          "workflow delivery": {
            "step ship": { "run ship": { "attempt 1": { "run mail": { "attempt 1": {} } } } },
          },
        },
      },
    });
    expect(all.filter(({ name }) => name === "run mail")).toHaveLength(3);
    expect(new Set(all.map(({ traceId, traceState }) => `${traceId} ${traceState}`))).toEqual(
      new Set([`${TRACE} vendor=a,other=b`]),
    );
    const states = endpoint.dispatches.map(({ headers }) => headers.tracestate);
    expect(states).toEqual(Array(states.length).fill("vendor=a,other=b"));
    expect(new Set(all.map(({ spanId }) => spanId)).size).toBe(all.length);
    expect(attribute(named(all, "workflow order"), "millrace.workflow_run_id")).toBe(body.id);
  });

  it("H5 gives an endpoint the span of its attempt as the parent, and links retries", async () => {
    await create();
    const { id } = await job("Charge", { max_attempts: 2, retry_strategy: "custom", retry_delays_secs: [1] });
    endpoint.respondWith(503, 200);
    await trigger(`/v1/jobs/${id}`, `00-${TRACE}-${CALLER}-01`);
    await world.runUntilIdle();
    await world.clock.pass("1m");
    await world.runUntilIdle();
    const all = await spans();
    const [first, second] = [named(all, "attempt 1"), named(all, "attempt 2")];
    expect(endpoint.dispatches.map(({ headers }) => headers.traceparent)).toEqual([
      `00-${TRACE}-${first.spanId}-01`,
      `00-${TRACE}-${second.spanId}-01`,
    ]);
    expect([first.links, second.links]).toEqual([undefined, [{ traceId: TRACE, spanId: first.spanId }]]);
    expect([first.status.code, second.status.code, named(all, "run charge").status.code]).toEqual([ERROR, OK, OK]);
    expect([attribute(first, "http.response.status_code"), attribute(second, "http.response.status_code")]).toEqual([
      "503",
      "200",
    ]);
  });

  it("H5 begins a trace of its own without one, and ignores a header that is not valid", async () => {
    await create();
    const { id } = await job("Charge");
    const { body: plain } = await trigger(`/v1/jobs/${id}`);
    const { body: odd } = await trigger(`/v1/jobs/${id}`, `00-${"0".repeat(32)}-${CALLER}-01`);
    await world.runUntilIdle();
    const roots = (await spans()).filter(({ parentSpanId }) => parentSpanId === undefined);
    expect(roots.map(({ traceId }) => traceId).sort()).toEqual(
      [plain.id, odd.id].map((each) => each.replaceAll("-", "")).sort(),
    );
  });

  it("H5 has what a failure starts below the run or workflow run that failed", async () => {
    await create();
    const handler = await job("Handler");
    const charge = await job("Charge", { max_attempts: 1, on_failure_job_id: handler.id });
    const workflow = await makeWorkflow(project, {
      name: "Order",
      on_failure_job_id: handler.id,
      steps: [{ step_ref: "charge", type: "job", job_id: charge.id }],
    });
    endpoint.respondWith(422);
    await trigger(workflow.path, `00-${TRACE}-${CALLER}-01`);
    for (let nth = 0; nth < 3; nth++) await world.runUntilIdle();
    expect(treeOf(await spans(), CALLER)).toEqual({
      "workflow order": {
        "step charge": { "run charge": { "attempt 1": {}, "run handler": { "attempt 1": {} } } },
        "run handler": { "attempt 1": {} },
      },
    });
  });

  it("H5 sends nothing of a trace that its caller does not record, but hands it on", async () => {
    await create();
    const { id } = await job("Charge");
    await trigger(`/v1/jobs/${id}`, `00-${TRACE}-${CALLER}-00`, {}, "vendor=1");
    await world.runUntilIdle();
    expect(await spans()).toEqual([]);
    expect(endpoint.dispatches[0]?.headers.traceparent).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`));
  });

  it("H5 tells of most runs from the changelog alone what their own rows tell", async () => {
    const { body: drain } = await create();
    const [one, other] = [await job("One"), await job("Other", { max_attempts: 1 })];
    endpoint.respondWith(({ headers }, response) => {
      response.writeHead(headers["x-svc-job-id"] === other.id ? 422 : 201).end();
    });
    for (const { id } of [one, one, other, one]) {
      await trigger(`/v1/jobs/${id}`, undefined, { delay_secs: 5 });
      await world.clock.pass("3s");
    }
    await trigger(`/v1/jobs/${one.id}`, `00-${TRACE}-${CALLER}-01`);
    await world.clock.pass("1m");
    await world.runUntilIdle();
    const fromChangelog = await spans();
    const changelog = (set: string) =>
      runSql<{ codes: string }>(world.connection, `${set} where project_id = $1 and http_statuses is not null`, [
        project.id,
      ]);
    const rows = await changelog("select http_statuses::text as codes from changelog");
    expect(rows.flatMap(({ codes }) => codes.slice(1, -1).split(","))).toEqual(["201", "201", "201"]);

    await changelog("update changelog set http_statuses = null");
    await runSql(world.connection, "update log_drains set position = 0 where id = $1", [drain.id]);
    receiver.taken.length = 0;
    const fromRows = await spans();
    expect(fromRows).toHaveLength(10);
    expect(new Set(fromChangelog)).toEqual(new Set(fromRows));
  });

  it("H5 marks failed runs with their error, and canceled ones without", async () => {
    await create();
    const { id } = await job("Charge", { max_attempts: 1 });
    endpoint.respondWith({ status: 422, body: { error: 'no "such" card 💳' } });
    await trigger(`/v1/jobs/${id}`);
    await world.runUntilIdle();
    const { body } = await trigger(`/v1/jobs/${id}`, undefined, { delay_secs: 60 });
    await project.api.post(`/v1/runs/${body.id}/cancel`);
    const runs = (await spans()).filter(({ name }) => name === "run charge");
    expect(runs.map(({ status }) => status.code).sort()).toEqual([UNSET, ERROR]);
    expect(runs.map((each) => attribute(each, "millrace.status")).sort()).toEqual(["canceled", "failed"]);
    expect(runs.map(({ status }) => status.message).sort()).toEqual([
      expect.stringContaining('\\"such\\" card'),
      undefined,
    ]);
  });

  it("H5 respects the drain's jobs and sends each end once, also after a failure of the receiver", async () => {
    const [one, other] = [await job("One"), await job("Other")];
    await create({ job_ids: [one.slug] });
    receiver.respondWith(() => 503);
    await trigger(`/v1/jobs/${one.id}`);
    await trigger(`/v1/jobs/${other.id}`);
    await world.runUntilIdle();
    expect(await spans()).toEqual([]);
    receiver.respondWith(() => 200);
    await world.clock.pass("5s");
    await spans();
    await world.clock.pass("5s");
    expect((await spans()).map(({ name }) => name).sort()).toEqual(["attempt 1", "run one"]);
  });
});

describe("settings of a drain of traces", () => {
  it("H5 are OTLP without a level, and a test sends a span", async () => {
    const refused = await create({ format: "loki", min_level: "warn" });
    expect(refused.status).toBe(422);
    expect(refused.body.errors.map(({ location }: { location: string }) => location)).toEqual([
      "body.format",
      "body.min_level",
    ]);
    const { body } = await create();
    expect(body).toMatchObject({ signal: "traces", format: "otlp" });
    const changed = await project.api.patch(`/v1/log-drains/${body.id}`, { format: "json" });
    expect(changed.status).toBe(422);
    const { body: test } = await project.api.post(`/v1/log-drains/${body.id}/test`);
    expect(test.delivered).toBe(true);
    expect(JSON.parse(test.sent).resourceSpans[0].scopeSpans[0].spans[0].name).toBe("test of this drain");
  });
});
