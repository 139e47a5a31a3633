import { beforeAll, describe, expect, it } from "vitest";
import { workflowBench } from "../../../test/costs/workflow-bench.ts";
import { tablesHolding } from "../../../test/oracles/dump-tables.ts";
import { jobEndpoint } from "../../../test/outside/job-endpoint.ts";
import { sdkOf } from "../../../test/seed/running-run.ts";
import { runSql } from "../../../test/world/database.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";
import { newId } from "../../platform/ids.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld();
  project = await world.project();
});

/** A run that received and reported a secret over HTTP in every possible place, and failed with it. */
async function runWith(secret: string): Promise<string> {
  const endpoint = await jobEndpoint();
  const receiver = await jobEndpoint();
  endpoint.respondWith({ status: 202 });
  const subscribed = { url: receiver.url, events: ["*"] };
  await project.api.post("/v1/webhook-subscriptions", subscribed);
  const job = { name: `Job ${newId()}`, endpoint_url: endpoint.url, dedup_window_secs: 600, max_attempts: 1 };
  const { id: job_id } = (await project.api.post("/v1/jobs", job)).body;
  const asked = { payload: { secret }, metadata: { secret }, idempotency_key: `k-${newId()}` };
  const { id } = (await project.api.post(`/v1/jobs/${job_id}/trigger`, asked)).body;
  await world.runUntilIdle();
  const sdkNow = () => sdkOf(world, id, String(endpoint.dispatches.at(-1)?.headers["x-svc-run-token"]));

  let sdk = sdkNow();
  const reports = [
    await sdk.post("/log", { message: secret, fields: { secret } }),
    await sdk.post("/checkpoint", { state: { secret } }),
    await sdk.post("/progress", { percent: 5, message: secret }),
    await sdk.post("/usage", { cost_microusd: 1, metadata: { secret } }),
    await sdk.post("/tool-call", { name: "t", status: "failed", input: { secret }, output: secret, error: secret }),
    await sdk.post("/output", { name: "o", value: { secret } }),
    await sdk.post("/metadata", { metadata: { more: secret } }),
    await sdk.post("/wait-for-event", { event_key: `e-${id}`, timeout_secs: 600, notify_url: receiver.url }),
  ];
  expect(reports.map(({ status }) => status < 300)).toEqual(reports.map(() => true));
  await project.api.post(`/v1/events/e-${id}/send`, { payload: { secret } });
  await world.runUntilIdle();
  sdk = sdkNow();
  expect((await sdk.post("/fail", { error: { code: "mine", message: secret } })).status).toBeLessThan(300);
  await world.runUntilIdle();
  return id;
}

/** The stored response for the run's idempotency key. */
async function hashLengths(run_id: string): Promise<number[]> {
  const statement = "select length(body_hash) as bytes from idempotency_keys where run_id = $1";
  const rows = await runSql<{ bytes: number }>(world.connection, statement, [run_id]);
  return rows.map(({ bytes }) => bytes);
}

describe("DELETE /v1/runs/{runID}/data", () => {
  it("leaves the secret in no column of any table: logs, records, waits and deliveries included", async () => {
    const secret = `s3cret-${newId()}`;
    const id = await runWith(secret);
    const before = Object.keys(await tablesHolding(world.connection, secret));
    for (const table of ["runs", "run_logs", "run_checkpoints", "run_outputs", "run_tool_calls", "run_usage"])
      expect(before).toContain(table);
    expect(before).toContain("event_triggers");
    expect(before).toContain("webhook_deliveries");
    expect(await hashLengths(id)).toEqual([32]);
    expect((await project.api.delete(`/v1/runs/${id}/data`)).status).toBe(204);
    expect(await tablesHolding(world.connection, secret)).toEqual({});
    expect(await hashLengths(id)).toEqual([0]);
    expect((await project.api.get(`/v1/runs/${id}`)).body).toMatchObject({
      status: "failed",
      payload: {},
      metadata: {},
    });
  });

  it("409 for a step's run: other steps hold its output too", async () => {
    const bench = await workflowBench(world, project);
    const { steps } = await bench.run(await bench.save([{ step_ref: "a" }]));
    const response = await project.api.delete(`/v1/runs/${steps.a.run_id}/data`);
    expect([response.status, response.body.code]).toEqual([409, "belongs_to_workflow"]);
  });
});

describe("DELETE /v1/workflow-runs/{workflowRunID}/data", () => {
  it("leaves the secret in no column of any table: steps, items, their runs and waits included", async () => {
    const secret = `s3cret-${newId()}`;
    const bench = await workflowBench(world, project);
    for (const nth of [0, 1]) bench.onDispatch(`m[${nth}]`, () => ({ body: { secret } }));
    bench.onDispatch("a", () => ({ body: { secret, list: [secret, secret] } }));
    bench.onDispatch("b", () => ({ status: 400, body: { error: secret } }));
    const steps = [
      { step_ref: "a", payload: { given: "{{payload.secret}}" } },
      { step_ref: "wait", type: "wait_for_event", event_key: `w-${newId()}`, depends_on: ["a"] },
      {
        step_ref: "m",
        type: "map",
        job_id: bench.job_id,
        depends_on: ["a"],
        items: "{{parent_outputs.a.list}}",
        payload: { of: "{{item}}" },
      },
      { step_ref: "ok", type: "approval", depends_on: ["a"], message: "Pay {{parent_outputs.a.secret}}?" },
      {
        step_ref: "b",
        depends_on: ["wait", "m", "ok"],
        payload: { of: "{{parent_outputs.a.secret}}" },
        on_failure: "continue",
      },
    ];
    const asked = { payload: { secret }, metadata: { secret }, routing_key: secret };
    const { run } = await bench.run(await bench.save(steps), asked);
    await project.api.post(`/v1/events/${steps[1]?.event_key}/send`, { payload: { secret } });
    await project.api.post(`/v1/workflow-runs/${run.id}/steps/ok/approve`, {});
    await world.runUntilIdle();
    expect((await project.api.get(`/v1/workflow-runs/${run.id}`)).body.status).toBe("completed");
    const before = Object.keys(await tablesHolding(world.connection, secret));
    for (const table of ["workflow_runs", "step_runs", "runs", "event_triggers", "map_items"])
      expect(before).toContain(table);
    expect((await project.api.delete(`/v1/workflow-runs/${run.id}/data`)).status).toBe(204);
    expect(await tablesHolding(world.connection, secret)).toEqual({});
    expect((await project.api.delete(`/v1/workflow-runs/${run.id}/data`)).status).toBe(204);
    const audited = await runSql(world.connection, "select action from audit_events where resource_id = $1", [run.id]);
    expect(audited).toContainEqual({ action: "workflow_run.data_deleted" });
  });

  it("409 while it runs, 404 if it is unknown", async () => {
    const bench = await workflowBench(world, project);
    const { run } = await bench.run(await bench.save([{ step_ref: "ok", type: "approval" }]));
    expect((await project.api.delete(`/v1/workflow-runs/${run.id}/data`)).body.code).toBe("run_not_ended");
    expect((await project.api.delete(`/v1/workflow-runs/${newId()}/data`)).status).toBe(404);
  });
});
