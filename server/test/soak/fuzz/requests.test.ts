import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { allRoutes } from "../../../src/api/all-routes.ts";
import { freePort } from "../../outside/free-port.ts";
import type { HttpResponse } from "../../outside/http-request.ts";
import { readResponses, sendRaw } from "../../outside/raw-request.ts";
import { type RawCase, rawCases } from "../../requests/fuzz-raw.ts";
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
const RAW_AT_ONCE = 32;
/** After which a connection with an incomplete request is ended. */
const QUIET_MS = 2_000;
/** Triggers per second during the attack. */
const LOAD_PER_SEC = 20;
const MAX_BLOCK_MS = 100;
/** Claims of workers wait for up to 30 s. */
const MAX_WAIT_MS = 120_000;
const NO_ANSWER: HttpResponse = { status: 0, headers: {}, body: "" };
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
  const signedIn = await service.admin.post("/v1/session", { api_key: key });
  const { token } = await created(api, "/v1/tokens", { scopes: ["runs:read", "jobs:trigger"], tags: { of: "nobody" } });
  load = startLoad(() => api.post(`/v1/jobs/${loaded.id}/trigger`, { payload: { at: Date.now() } }));
  return {
    ...{
      url: service.url,
      project_id: project.id,
      key,
      internal_secret: SECRETS.INTERNAL_SECRET,
      run_token: runToken ?? "",
      session: signedIn.headers.get("set-cookie")?.split(";")[0] ?? "",
      token,
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

/** Routes that read a body, with each kind of credential; those of the fast path too. */
function headsOf({ key, run_token, session, url, own }: FuzzTarget): string[] {
  const withKey = [
    ...["/v1/jobs", `/v1/jobs/${own.jobID}/trigger`, `/v1/jobs/${own.jobID}/trigger/bulk`, "/v1/schedules"],
    ...["/v1/workflows", `/v1/workflows/${own.workflowID}/trigger`, "/v1/workflow-runs/capsules", "/mcp"],
    ...["/worker/v1/claims", "/worker/v1/results", "/worker/v1/heartbeats", "/worker/v1/drain"],
    ...["/v1/events/raw/send", "/v1/alert-rules/preview"],
  ];
  const ofRun = ["log", "checkpoint", "usage", "metadata"].map((what) => `/sdk/v1/runs/${own.runID}/${what}`);
  const post = (path: string, credential: string) => `POST ${path} HTTP/1.1\r\n${credential}`;
  return [
    ...withKey.map((path) => post(path, `Authorization: Bearer ${key}`)),
    ...ofRun.map((path) => post(path, `Authorization: Bearer ${run_token}`)),
    ...["/v1/jobs", "/v1/environments"].map((path) => post(path, `Cookie: ${session}\r\nOrigin: ${url}`)),
    ...["/v1/session", "/v1/members/invitations/accept"].map((path) => post(path, "X: 1")),
  ];
}

/** A connection that is closed before the rest of the request has arrived is reset, and may lose its response. */
async function answersTo({ bytes, isWhole }: RawCase): Promise<HttpResponse[]> {
  for (let tries = 0; tries < 3; tries++) {
    const received = readResponses(
      await sendRaw(target.url, Buffer.from(bytes, "latin1"), { quietMs: isWhole ? MAX_WAIT_MS : QUIET_MS }),
    );
    const responses = received.filter(({ status }) => status !== 100);
    if (responses.length > 0) return responses;
  }
  return [];
}

function printed(counts: ReadonlyMap<number, number>): string {
  const statuses = [...counts].sort(([a], [b]) => a - b);
  return statuses.map(([status, count]) => `${count} × ${status}`).join(", ");
}

describe("a service under load that is sent random requests", { timeout: 3 * 3_600_000 }, () => {
  it("never returns a 5xx, refuses with a Problem, succeeds as its schema says, and blocks for at most 100 ms", async () => {
    const routes = allRoutes.filter(endsByItself);
    const made = fc.sample(fuzzRequests(routes), { seed, numRuns: REQUESTS });
    const issues: string[] = [];
    const counts = new Map<number, number>();
    const blocked: string[] = [];
    let longest = await readHeldMs().then(() => 0);
    const startedAt = performance.now();
    for (let at = 0; at < made.length; at += PORTION) {
      const left = made.slice(at, at + PORTION);
      const portion = [...left];
      const attack = async () => {
        for (let request = left.pop(); request; request = left.pop()) {
          const response = await Promise.race([sendFuzzed(target, request), pause(MAX_WAIT_MS, NO_ANSWER)]);
          counts.set(response.status, (counts.get(response.status) ?? 0) + 1);
          const issue = issueOf(response) ?? issueOfSuccess(request, response);
          const { method, path, query, body, who, headers } = request;
          const sent = JSON.stringify({ method, path, query, who, headers, body }).slice(0, 600);
          if (issue) issues.push(`${issue} · ${sent} · ${response.body.slice(0, 300)}`);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, attack));
      const heldMs = await readHeldMs();
      longest = Math.max(longest, heldMs);
      if (heldMs > MAX_BLOCK_MS) blocked.push(`${heldMs.toFixed(0)} ms among requests ${at} to ${at + portion.length}`);
    }
    const { statuses: ofLoad } = load;
    console.info(
      `${REQUESTS} requests in ${((performance.now() - startedAt) / 60_000).toFixed(1)} min: ${printed(counts)}; ${ofLoad.length} triggers during them; the longest block ${longest.toFixed(0)} ms of CPU`,
    );
    expect(issues.slice(0, 20), `TEST_SEED=${seed}, ${issues.length} in all`).toEqual([]);
    expect(blocked).toEqual([]);
    expect(ofLoad.filter((status) => status !== 201)).toEqual([]);
    expect((counts.get(200) ?? 0) + (counts.get(201) ?? 0)).toBeGreaterThan(REQUESTS * 0.03);
    expect(ofLoad.length).toBeGreaterThan(0);
  });

  it("answers what is barely HTTP, and never twice where two parsers could disagree", async () => {
    const cases = rawCases(headsOf(target));
    const issues: string[] = [];
    const counts = new Map<number, number>();
    const send = async (raw: RawCase) => {
      const responses = await answersTo(raw);
      for (const { status } of responses) counts.set(status, (counts.get(status) ?? 0) + 1);
      const issue =
        responses.map(issueOf).find((found) => found !== undefined) ??
        (responses.length === 0 ? "no answer" : undefined) ??
        (raw.ambiguous && responses.some(({ status }) => status < 400) ? "accepted" : undefined);
      if (issue) issues.push(`${issue} · ${JSON.stringify(raw.bytes.slice(0, 300))}`);
    };
    await readHeldMs();
    await Promise.all(
      Array.from({ length: RAW_AT_ONCE }, async () => {
        for (let next = cases.pop(); next; next = cases.pop()) await send(next);
      }),
    );
    const heldMs = await readHeldMs();
    console.info(`${printed(counts)} to raw messages, at most ${heldMs.toFixed(0)} ms of CPU at a time`);
    expect(issues.slice(0, 20), `${issues.length} in all`).toEqual([]);
    expect(heldMs).toBeLessThan(MAX_BLOCK_MS);
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
