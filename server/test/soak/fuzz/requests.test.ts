import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { allRoutes } from "../../../src/api/all-routes.ts";
import { freePort } from "../../outside/free-port.ts";
import { readResponses, sendRaw } from "../../outside/raw-request.ts";
import { rawCases } from "../../requests/fuzz-raw.ts";
import { fuzzRequests } from "../../requests/fuzz-requests.ts";
import { endsByItself, type FuzzTarget, issueOf, issueOfSuccess, sendFuzzed } from "../../requests/fuzz-target.ts";
import { testSeed } from "../../seed/seed.ts";
import { type ReadyService, SECRETS, serveOn, useServices } from "../../service/start-service.ts";
import { makeClient } from "../../world/client.ts";
import { cloneDatabase, dropDatabase, type TestConnection } from "../../world/database.ts";
import { scenarioSize } from "../../world/size.ts";
import { until } from "../../world/until.ts";

useServices();

const REQUESTS = Number(process.env.REQUESTS ?? scenarioSize({ quick: 500, usual: 5_000, whole: 100_000 }));
const AT_ONCE = 8;
const PORTION = 250;
/** Triggers per second during the attack. */
const LOAD_PER_SEC = 20;
const MAX_BLOCK_MS = 100;
const seed = testSeed("fuzz-requests");

let connection: TestConnection;
let service: ReadyService;
let watchPort: number;
let target: FuzzTarget;
let load: { stop: () => void; statuses: number[] };
let runToken: string | undefined;

/** Accepts the first run and never ends it; responds to all others. */
const receiver = createServer((request, response) => {
  request.resume();
  const isFirst = runToken === undefined;
  runToken ??= String(request.headers["x-svc-run-token"]);
  response.writeHead(isFirst ? 202 : 200, { "content-type": "application/json" }).end("{}");
});

beforeAll(async () => {
  connection = await cloneDatabase();
  watchPort = await freePort();
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  service = await serveOn(connection, {
    ALLOW_PRIVATE_ENDPOINTS: "true",
    RATE_LIMIT_API_PER_MINUTE: "0",
    RATE_LIMIT_TRIGGER_PER_MINUTE: "0",
    RATE_LIMIT_BULK_TRIGGER_PER_MINUTE: "0",
    NODE_OPTIONS: `--import=${new URL("../hostile-input/event-loop-watch.mjs", import.meta.url).href}`,
    EVENT_LOOP_WATCH_PORT: String(watchPort),
  });
  target = await openTarget();
});
afterAll(async () => {
  load?.stop();
  receiver.close();
  await service?.kill();
  await dropDatabase(connection);
});

async function openTarget(): Promise<FuzzTarget> {
  const created = async (client: typeof service.admin, path: string, body: object) => {
    const response = await client.post(path, body);
    if (response.status !== 201) throw new Error(`${path}: ${response.text}`);
    return response.body;
  };
  const project = await created(service.admin, "/v1/projects", { name: "Attacked" });
  const other = await created(service.admin, "/v1/projects", { name: "Other" });
  const { key } = await created(service.admin, "/v1/api-keys", { name: "fuzz", project_id: project.id });
  const api = makeClient(service.url, { authorization: `Bearer ${key}` });
  const endpoint_url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  const loaded = await created(api, "/v1/jobs", { name: "Load", endpoint_url, heartbeat_timeout_secs: 86_400 });
  const run = await created(api, `/v1/jobs/${loaded.id}/trigger`, {});
  await until("the first dispatch", 60_000, () => runToken !== undefined);
  const job = await created(api, "/v1/jobs", { name: "Fuzzed", endpoint_url });
  const steps = [{ step_ref: "a", job_id: job.id }];
  const workflow = await created(api, "/v1/workflows", { name: "Fuzzed", steps });
  const workflowRun = await created(api, `/v1/workflows/${workflow.id}/trigger`, {});
  const schedule = await created(api, "/v1/schedules", { job_id: job.id, cron: "0 0 29 2 *" });
  const environment = await created(api, "/v1/environments", { name: "Fuzzed" });
  const second = await created(service.admin, "/v1/api-keys", { name: "fuzzed", project_id: project.id });
  load = startLoad(() => api.post(`/v1/jobs/${loaded.id}/trigger`, { payload: { at: Date.now() } }));
  return {
    ...{
      url: service.url,
      project_id: project.id,
      key,
      internal_secret: SECRETS.INTERNAL_SECRET,
      run_token: runToken ?? "",
    },
    own: {
      ...{ projectID: other.slug, jobID: job.id, versionID: job.version_id, runID: run.id, workflowID: workflow.id },
      ...{
        workflowRunID: workflowRun.id,
        stepRef: "a",
        scheduleID: schedule.id,
        envID: environment.id,
        keyID: second.id,
      },
      eventKey: "ended",
    },
  };
}

function startLoad(trigger: () => Promise<{ status: number }>) {
  const statuses: number[] = [];
  const timer = setInterval(() => {
    trigger().then(
      ({ status }) => statuses.push(status),
      () => statuses.push(0),
    );
  }, 1_000 / LOAD_PER_SEC);
  return { statuses, stop: () => clearInterval(timer) };
}

/** How long one iteration of the event loop took at most since the last call, in CPU time of its thread. */
async function readHeldMs(): Promise<number> {
  return ((await (await fetch(`http://127.0.0.1:${watchPort}`)).json()) as { held_ms: number }).held_ms;
}

describe("a service under load that is sent random requests", { timeout: 3 * 3_600_000 }, () => {
  it("never returns a 5xx, refuses with a Problem, succeeds as its schema says, and blocks for at most 100 ms", async () => {
    const routes = allRoutes.filter(endsByItself);
    const made = fc.sample(fuzzRequests(routes), { seed, numRuns: REQUESTS });
    const issues: string[] = [];
    const counts = new Map<number, number>();
    const blocked: string[] = [];
    await readHeldMs();
    for (let at = 0; at < made.length; at += PORTION) {
      const left = made.slice(at, at + PORTION);
      const portion = [...left];
      const attack = async () => {
        for (let request = left.pop(); request; request = left.pop()) {
          const response = await sendFuzzed(target, request);
          counts.set(response.status, (counts.get(response.status) ?? 0) + 1);
          const issue = issueOf(response) ?? issueOfSuccess(request, response);
          const { method, path, query, body, who, headers } = request;
          const sent = JSON.stringify({ method, path, query, who, headers, body }).slice(0, 600);
          if (issue) issues.push(`${issue} · ${sent} · ${response.body.slice(0, 300)}`);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, attack));
      const heldMs = await readHeldMs();
      if (heldMs > MAX_BLOCK_MS) blocked.push(`${heldMs.toFixed(0)} ms among requests ${at} to ${at + portion.length}`);
    }
    const statuses = [...counts].sort(([a], [b]) => a - b).map(([status, count]) => `${count} × ${status}`);
    const { statuses: ofLoad } = load;
    console.info(
      `${REQUESTS} requests: ${statuses.join(", ")}; ${ofLoad.length} triggers during them, ${blocked.length} blocks over ${MAX_BLOCK_MS} ms`,
    );
    expect(issues.slice(0, 20), `TEST_SEED=${seed}, ${issues.length} in all`).toEqual([]);
    expect(blocked).toEqual([]);
    expect(ofLoad.filter((status) => status !== 201)).toEqual([]);
    expect((counts.get(200) ?? 0) + (counts.get(201) ?? 0)).toBeGreaterThan(REQUESTS * 0.03);
    expect(ofLoad.length).toBeGreaterThan(0);
  });

  it("answers what is barely HTTP, and never twice where two parsers could disagree", async () => {
    const issues: string[] = [];
    for (const { bytes, ambiguous } of rawCases()) {
      const text = bytes.replace("/v1/test/echo", "/v1/jobs");
      let responses: ReturnType<typeof readResponses> = [];
      // A connection that is closed before the rest of the request has arrived is reset, and may lose its response.
      for (let tries = 0; tries < 3 && responses.length === 0; tries++) {
        const received = readResponses(await sendRaw(target.url, Buffer.from(text, "latin1")));
        responses = received.filter(({ status }) => status !== 100);
      }
      const issue = responses.map(issueOf).find((found) => found !== undefined);
      if (issue) issues.push(`${issue} · ${JSON.stringify(text.slice(0, 200))}`);
      if (responses.length === 0) issues.push(`no answer · ${JSON.stringify(text.slice(0, 200))}`);
      if (ambiguous && responses.some(({ status }) => status < 400))
        issues.push(`accepted · ${JSON.stringify(text.slice(0, 200))}`);
    }
    expect(issues).toEqual([]);
  });

  it("is alive afterwards, and has logged no error", async () => {
    load.stop();
    await pause(500);
    expect((await service.admin.get("/health/ready")).status).toBe(200);
    const errors = service
      .output()
      .split("\n")
      .filter((line) => /"level":(50|60|"error"|"fatal")/.test(line));
    expect(errors.slice(0, 10)).toEqual([]);
  });
});
