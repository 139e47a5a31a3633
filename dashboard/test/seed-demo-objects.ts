import { jobEndpoint } from "../../server/test/outside/job-endpoint.ts";
import { runningRun } from "../../server/test/seed/running-run.ts";
import { seedBatch } from "../../server/test/seed/seed-batch.ts";
import { seedTrigger } from "../../server/test/seed/seed-trigger.ts";
import { waitingRun } from "../../server/test/seed/waiting-run.ts";
import type { TestProject, World } from "../../server/test/world/world.ts";
import { seedDemoSettings } from "./seed-demo-settings.ts";

/** One object of each kind that has a page, with all the data a page can show, by path parameter. */
export type DemoObjects = Record<"runId" | "jobId" | "batchId" | "waitingRunId" | "agentRunId" | "sourceId", string>;

export async function seedDemoObjects(world: World, project: TestProject): Promise<DemoObjects> {
  await world.clock.set(new Date(Date.now() - 10 * 60_000).toISOString());
  const retried = await seedRetriedRun(world, project);
  await world.clock.set(new Date().toISOString());
  const { body: ticket } = await project.api.post("/v1/jobs", { name: "Answer ticket", endpoint_url: retried.url });
  await world.clock.set(new Date(Date.now() - 30_000).toISOString());
  const agentRunId = await seedAgentRun(world, project, ticket.id);
  await world.clock.set(new Date().toISOString());
  const waits = { job_id: retried.jobId };
  const wait = { event_key: "order-42.paid", timeout_secs: 7_200 };
  const { run_id: waitingRunId } = await waitingRun(world, project, wait, waits);
  for (const [event_key, timeout_secs] of WAITS) await waitingRun(world, project, { event_key, timeout_secs }, waits);
  const { connection } = world;
  const job_run_id = retried.runId;
  const received = { event_key: "order-7.paid", status: "received", payload: { paid: 1999 }, job_run_id } as const;
  await seedTrigger(connection, project.id, received);
  await seedTrigger(connection, project.id, { event_key: "order-8.paid", status: "timed_out", job_run_id });
  await seedBatch(connection, project.id, { kind: "replay", status: "completed", total: 3, failed: 3 });
  const batchId = await seedBatch(connection, project.id, {
    kind: "cancel",
    status: "running",
    total: 150,
    failed: 12,
  });
  await world.runUntilIdle();
  const { runId, jobId } = retried;
  const { sourceId } = await seedDemoSettings(project, jobId);
  return { runId, jobId, batchId, waitingRunId, agentRunId, sourceId };
}

const WAITS: [string, number][] = [
  ["order-43.paid", 45],
  ["order-44.paid", 1_800],
  ["approval.refund-9", 86_400],
  ["signup.ada@example.com", 604_800],
];

/** Two failed attempts with a backoff between them, then a successful one. */
async function seedRetriedRun(world: World, project: TestProject) {
  const endpoint = await jobEndpoint();
  const { body: job } = await project.api.post("/v1/jobs", {
    name: "Import catalog",
    endpoint_url: endpoint.url,
    max_attempts: 3,
    retry_strategy: "custom",
    retry_delays_secs: [4, 8],
    cron: "0 6 * * 1-5",
    timezone: "Europe/Berlin",
    payload_schema: SCHEMA,
    max_concurrency: 10,
    rate_limit_max: 100,
    rate_limit_window_secs: 60,
  });
  const slow = (status: number, body: unknown) => async (_: unknown, response: import("node:http").ServerResponse) => {
    await world.clock.pass("3s");
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  };
  endpoint.respondWith(
    slow(500, { error: "catalog.csv: connection reset" }),
    slow(500, { error: "again" }),
    slow(200, { imported: 812 }),
  );
  const payload = { url: "https://example.com/catalog.csv", rows: 812 };
  const { body: run } = await project.api.post(`/v1/jobs/${job.id}/trigger`, { payload, tags: { region: "eu" } });
  await world.clock.pass("1s");
  for (let round = 0; round < 8 && endpoint.dispatches.length < 3; round++) {
    await world.runUntilIdle();
    await world.clock.pass("4s");
  }
  await world.runUntilIdle();
  return { runId: run.id as string, jobId: job.id as string, url: endpoint.url };
}

const SCHEMA = {
  type: "object",
  required: ["url", "rows"],
  properties: { url: { type: "string", minLength: 1 }, rows: { type: "integer", minimum: 1 } },
};

/** A running run with many records. */
async function seedAgentRun(world: World, project: TestProject, job_id: string): Promise<string> {
  const { run_id, sdk } = await runningRun(world, project, {
    accepted: true,
    job_id,
    payload: { ticket: 4711, question: "Where is my parcel?" },
  });
  await world.clock.pass("2s");
  await sdk.post("/log", { logs: LINES });
  await world.clock.pass("2s");
  await sdk.post("/tool-call", {
    name: "search_orders",
    input: { ticket: 4711 },
    output: [{ id: "order-42" }],
    duration_ms: 1_412,
  });
  await sdk.post("/checkpoint", { state: { step: "found", orders: ["order-42"] } });
  await world.clock.pass("6s");
  await sdk.post("/tool-call", {
    name: "track_parcel",
    input: { order: "order-42" },
    error: "carrier answered 503",
    duration_ms: 4_804,
  });
  await world.clock.pass("1s");
  await sdk.post("/checkpoint", { state: { step: "tracked", orders: ["order-42"], carrier: null } });
  await sdk.post("/usage", {
    provider: "acme",
    model: "m-large",
    input_tokens: 8_120,
    output_tokens: 640,
    cost_microusd: 42_300,
  });
  await sdk.post("/output", { name: "draft", value: { text: "Your parcel is on its way." } });
  await sdk.post("/progress", { percent: 62, message: "Asking the carrier" });
  return run_id;
}

const LINES = Array.from({ length: 40 }, (_, nth) => ({
  level: (["info", "debug", "info", "warn", "info", "error"] as const)[nth % 6] ?? "info",
  message:
    [
      "Looking for orders of the customer",
      "cache miss",
      "Found order-42",
      "Carrier is slow",
      "Asking again",
      "Carrier answered 503",
    ][nth % 6] ?? "",
  ...(nth % 3 === 0 && { fields: { ticket: 4711, ms: 12 * nth } }),
}));
