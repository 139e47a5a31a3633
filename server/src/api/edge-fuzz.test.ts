import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import type { HttpResponse } from "../../test/outside/http-request.ts";
import { readResponses, sendRaw } from "../../test/outside/raw-request.ts";
import { edgeRoutes } from "../../test/requests/edge-routes.ts";
import { rawCases } from "../../test/requests/fuzz-raw.ts";
import { fuzzRequests } from "../../test/requests/fuzz-requests.ts";
import { endsByItself, type FuzzTarget, issueOf, issueOfSuccess, sendFuzzed } from "../../test/requests/fuzz-target.ts";
import { idsIn } from "../../test/requests/path-ids.ts";
import { signIn } from "../../test/requests/session-credentials.ts";
import { eachOf } from "../../test/requests/walk-routes.ts";
import { encryptHeaders, runningRun } from "../../test/seed/running-run.ts";
import { testSeed } from "../../test/seed/seed.ts";
import { seedTrigger } from "../../test/seed/seed-trigger.ts";
import { isWholeSize, sizeOf } from "../../test/world/size.ts";
import { INTERNAL_SECRET, makeWorld, type TestProject, type World } from "../../test/world/world.ts";
import { allRoutes } from "./all-routes.ts";

const REQUESTS = sizeOf(120, 20_000);
const TIMEOUT_MS = 60_000 + 100 * REQUESTS; // five seconds on an idle machine
/** Whole requests ask the server to close the connection. */
const WAITS = { quietMs: 60_000 };
/** What is answered only after a lookup is aborted when the client ends its stream. */
const PATIENT = { quietMs: 2_000 };
const seed = testSeed("edge-fuzz");

/** A route for each kind of id in paths. */
const withIds = [
  "/v1/jobs/{jobID}/versions/{versionID}",
  "/v1/schedules/{scheduleID}",
  "/v1/projects/{projectID}",
].flatMap((path) => allRoutes.find((route) => route.path === path) ?? []);

let world: World;
let project: TestProject;
let target: FuzzTarget;
beforeAll(async () => {
  world = await makeWorld({ routes: edgeRoutes });
  project = await world.project();
  const environment = await project.api.post("/v1/environments", { name: "Fuzzed" });
  const running = await runningRun(world, project);
  const ids = await Promise.all(withIds.map((route) => idsIn(world.connection, project, route)));
  // An ended trigger: the stream of a waiting one would not end.
  const ended = await seedTrigger(world.connection, project.id, { status: "received" });
  await encryptHeaders(world, project.id);
  const own = {
    ...Object.assign({}, ...ids),
    projectID: (await world.project()).slug,
    envID: environment.body.id,
    keyID: (await project.newKey()).id,
    runID: running.run_id,
    eventKey: ended.event_key,
  };
  const { id: project_id, key } = project;
  const session = await signIn(world, { api_key: key });
  const { token } = (await project.api.post("/v1/tokens", { scopes: ["runs:read"], tags: { of: "nobody" } })).body;
  const secrets = { key, internal_secret: INTERNAL_SECRET, run_token: running.token, session, token };
  target = { url: world.url, project_id, ...secrets, own };
});

describe("random requests", { timeout: TIMEOUT_MS }, () => {
  it("O3 built from the routes, valid and corrupted: no 500, every refusal a Problem, every success matches its schema", async () => {
    const made = fc.sample(fuzzRequests([...allRoutes.filter(endsByItself), ...edgeRoutes]), {
      seed,
      numRuns: REQUESTS,
    });
    const issues: string[] = [];
    const counts = new Map<number, number>();
    await eachOf(made, async (request) => {
      const response = await sendFuzzed(target, request);
      counts.set(response.status, (counts.get(response.status) ?? 0) + 1);
      const issue = issueOf(response) ?? issueOfSuccess(request, response);
      const { method, path, query, body, who, headers } = request;
      const summary = JSON.stringify({ method, path, query, who, headers, body }).slice(0, 600);
      if (issue) issues.push(`${issue} · ${summary} · ${response.body.slice(0, 300)}`);
    });
    if (isWholeSize()) console.info([...counts].map(([status, count]) => `${count} × ${status}`).join(", "));
    expect(issues.slice(0, 20), `TEST_SEED=${seed}, ${issues.length} in all`).toEqual([]);
    expect([...counts.values()].reduce((sum, count) => sum + count, 0)).toBe(REQUESTS);
    // Far below the usual shares, so that no seed fails by chance. They only ensure that not nearly all
    // requests are refused for the same reason.
    expect(made.filter((request) => request.isValid).length).toBeGreaterThan(REQUESTS * 0.2);
    expect((counts.get(200) ?? 0) + (counts.get(201) ?? 0)).toBeGreaterThan(REQUESTS * 0.03);
    expect(counts.size, "kinds of responses").toBeGreaterThanOrEqual(4);
  });

  it("O3 that are barely HTTP: no 500, and never two responses where two parsers could disagree", async () => {
    const cases = rawCases();
    const issues: string[] = [];
    await eachOf(cases, async ({ bytes, ambiguous, isWhole }) => {
      const responses = await responsesTo(bytes, isWhole ? [WAITS] : [{}, PATIENT]);
      const statuses = responses.map((response) => response.status).join(", ");
      const issue = responses.map(issueOf).find((found) => found !== undefined);
      if (issue) issues.push(`${issue} · ${JSON.stringify(bytes.slice(0, 200))}`);
      if (responses.length === 0) issues.push(`no answer · ${JSON.stringify(bytes.slice(0, 200))}`);
      if (ambiguous && statuses !== "400") issues.push(`${statuses} · ${JSON.stringify(bytes.slice(0, 200))}`);
    });
    expect(issues).toEqual([]);
    expect(cases.length).toBeGreaterThanOrEqual(150);
  });

  it("O3 leave the service running", async () => {
    expect((await world.anonymous.get("/health")).status).toBe(200);
    expect((await world.anonymous.get("/health/ready")).status).toBe(200);
    expect((await project.api.post("/v1/environments", { name: "After" })).status).toBe(201);
  });
});

/** Of the first attempt that gets any. */
async function responsesTo(bytes: string, attempts: { quietMs?: number }[]): Promise<HttpResponse[]> {
  for (const attempt of attempts) {
    const received = readResponses(await sendRaw(world.url, Buffer.from(bytes, "latin1"), attempt));
    const responses = received.filter((response) => response.status !== 100); // 100 Continue is not a response yet
    if (responses.length > 0) return responses;
  }
  return [];
}
