import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { type HttpResponse, sendHttp } from "../../test/outside/http-request.ts";
import { readResponses, sendRaw } from "../../test/outside/raw-request.ts";
import { edgeRoutes } from "../../test/requests/edge-routes.ts";
import { rawCases } from "../../test/requests/fuzz-raw.ts";
import { type FuzzRequest, fuzzRequests } from "../../test/requests/fuzz-requests.ts";
import { idsIn } from "../../test/requests/path-ids.ts";
import { validatorOf } from "../../test/requests/sample-body.ts";
import { eachOf } from "../../test/requests/walk-routes.ts";
import { encryptHeaders, runningRun } from "../../test/seed/running-run.ts";
import { testSeed } from "../../test/seed/seed.ts";
import { seedTrigger } from "../../test/seed/seed-trigger.ts";
import { sizeOf } from "../../test/world/size.ts";
import { INTERNAL_SECRET, makeWorld, type TestProject, type World } from "../../test/world/world.ts";
import { newId } from "../platform/ids.ts";
import type { Route } from "../platform/route.ts";
import { allRoutes } from "./all-routes.ts";
import { nameOf } from "./register-route.ts";

const REQUESTS = sizeOf(120, 20_000);
const TIMEOUT_MS = 60_000 + 10 * REQUESTS; // five seconds on an idle machine
const seed = testSeed("edge-fuzz");

/** A route for each kind of id in paths. */
const withIds = [
  "/v1/jobs/{jobID}/versions/{versionID}",
  "/v1/schedules/{scheduleID}",
  "/v1/projects/{projectID}",
].flatMap((path) => allRoutes.find((route) => route.path === path) ?? []);

let world: World;
let project: TestProject;
let own: Record<string, string>;
let runToken: string;
beforeAll(async () => {
  world = await makeWorld({ routes: edgeRoutes });
  project = await world.project();
  const environment = await project.api.post("/v1/environments", { name: "Fuzzed" });
  const running = await runningRun(world, project);
  runToken = running.token;
  const ids = await Promise.all(withIds.map((route) => idsIn(world.connection, project, route)));
  // An ended trigger: the stream of a waiting one would not end.
  const ended = await seedTrigger(world.connection, project.id, { status: "received" });
  await encryptHeaders(world, project.id);
  own = {
    ...Object.assign({}, ...ids),
    projectID: (await world.project()).slug,
    envID: environment.body.id,
    keyID: (await project.newKey()).id,
    runID: running.run_id,
    eventKey: ended.event_key,
  };
});

function send({ method, path, query, body, ...made }: FuzzRequest): Promise<HttpResponse> {
  const filled = path.replaceAll(/\{own:(\w+)\}/g, (_, param) => own[param] ?? newId()).replaceAll("{other}", newId());
  return sendHttp(world.url, { method, path: `${filled}${query}`, headers: headersOf(made), body });
}

function headersOf({ route, who, headers }: Pick<FuzzRequest, "route" | "who" | "headers">): Record<string, string> {
  if (who === "nobody") return headers;
  if (route.auth.kind === "run") return { authorization: `Bearer ${runToken}`, ...headers };
  if (who === "key") return { authorization: `Bearer ${project.key}`, ...headers };
  return { "x-internal-secret": INTERNAL_SECRET, "x-project-id": project.id, ...headers };
}

/**
 * The stream of a live object stays open as long as it lives. Streams of events are requested for one that has ended.
 */
const endsByItself = ({ streams, path }: Route) => !streams || path.includes("{eventKey}");

/** Checks any response, regardless of its request. */
function issueOf({ status, headers, body }: HttpResponse): string | undefined {
  if (status >= 500 || status < 200) return `status ${status}`;
  if (!headers["x-request-id"]) return "no request id";
  if (status < 400 || body === "") return undefined;
  if (!headers["content-type"]?.startsWith("application/problem+json"))
    return `content type ${headers["content-type"]}`;
  const validate = validatorOf("Problem");
  return validate(JSON.parse(body)) ? undefined : `no Problem: ${JSON.stringify(validate.errors)}`;
}

function issueOfSuccess({ route, method }: FuzzRequest, { status, body }: HttpResponse): string | undefined {
  const name = nameOf(route.response);
  if (name === undefined || method !== route.method || status !== route.status) return undefined;
  const validate = validatorOf(name);
  return validate(JSON.parse(body)) ? undefined : `no ${name}: ${JSON.stringify(validate.errors)}`;
}

describe("random requests", { timeout: TIMEOUT_MS }, () => {
  it("O3 built from the routes, valid and corrupted: no 500, every refusal a Problem, every success matches its schema", async () => {
    const made = fc.sample(fuzzRequests([...allRoutes.filter(endsByItself), ...edgeRoutes]), {
      seed,
      numRuns: REQUESTS,
    });
    const issues: string[] = [];
    const counts = new Map<number, number>();
    await eachOf(made, async (request) => {
      const response = await send(request);
      counts.set(response.status, (counts.get(response.status) ?? 0) + 1);
      const issue = issueOf(response) ?? issueOfSuccess(request, response);
      const { method, path, query, body, who, headers } = request;
      const summary = JSON.stringify({ method, path, query, who, headers, body }).slice(0, 600);
      if (issue) issues.push(`${issue} · ${summary} · ${response.body.slice(0, 300)}`);
    });
    expect(issues, `TEST_SEED=${seed}`).toEqual([]);
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
    await eachOf(cases, async ({ bytes, ambiguous }) => {
      const received = readResponses(await sendRaw(world.url, Buffer.from(bytes, "latin1")));
      const responses = received.filter((response) => response.status !== 100); // 100 Continue is not a response yet
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
