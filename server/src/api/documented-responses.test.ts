import { namedSchemas } from "@millrace/contract/schema/schema";
import { beforeAll, describe, expect, it } from "vitest";
import { openDocumentCheck } from "../../test/openapi/document-check.ts";
import { sharedIds } from "../../test/requests/path-ids.ts";
import { sendValidRequest } from "../../test/requests/send-valid-request.ts";
import { eachOf, requestRoute } from "../../test/requests/walk-routes.ts";
import { makeJob, makeWorkflow } from "../../test/seed/make-workflow.ts";
import { oneOfEachScope } from "../../test/seed/one-of-each.ts";
import { runningRun } from "../../test/seed/running-run.ts";
import type { ClientResponse } from "../../test/world/client.ts";
import { makeWorld, type TestProject, type World } from "../../test/world/world.ts";
import type { Route } from "../platform/route.ts";
import { allRoutes } from "./all-routes.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld();
  project = await world.project();
});

/** The statuses other than problems that the route declares, which the document must list. */
function documented(method: string, path: string): number[] {
  const route = allRoutes.find((candidate) => candidate.method === method && candidate.path === path);
  if (!route) throw new Error(`${method} ${path}`);
  return [route.status, ...Object.keys(route.otherResponses ?? {}).map(Number)];
}

/** Routes whose response ends. */
const responding = allRoutes.filter(({ produces }) => produces !== "text/event-stream");
const nameOf = ({ method, path }: Route) => `${method} ${path}`;

describe("the responses of every route", { timeout: 120_000 }, () => {
  let issuesOf: ReturnType<typeof openDocumentCheck>;
  beforeAll(async () => {
    issuesOf = openDocumentCheck((await world.anonymous.get("/openapi.json")).body);
  });

  /** Calls each of the routes, and returns the undocumented parts of their responses. */
  async function walk(routes: Route[], call: (route: Route) => Promise<ClientResponse>) {
    const walked = { done: 0, refused: 0, issues: [] as string[] };
    await eachOf(routes, async (route) => {
      const response = await call(route);
      if (response.status < 300) walked.done++;
      else walked.refused++;
      walked.issues.push(...issuesOf(route, response));
    });
    return walked;
  }

  // Routes that return an object are tested in schema-links.test.ts.
  it("O8 are as documented where they are not an object of the contract", async () => {
    const walked = await world.project();
    // The protocol of /mcp is not ours to document.
    const left = ["/v1/projects/{projectID}", "/mcp"];
    const plain = responding.filter(({ response, path }) => response === undefined && !left.includes(path));
    const { issues, done } = await walk(plain, (route) => sendValidRequest(world, walked, route));
    expect(issues).toEqual([]);
    expect(done).toBeGreaterThanOrEqual(25);
  });

  it("O8 are as documented when nothing is found", async () => {
    const { issues, refused } = await walk(
      responding.filter(({ path }) => path.includes("{")),
      (route) => requestRoute(world.url, route, { headers: { authorization: `Bearer ${project.key}` } }),
    );
    expect(issues).toEqual([]);
    expect(refused).toBeGreaterThanOrEqual(120);
  });

  it("O8 are as documented without a credential", async () => {
    // That every route refuses it is tested in access-matrix.test.ts.
    const { issues, refused } = await walk(oneOfEachScope(responding), (route) => requestRoute(world.url, route, {}));
    expect(issues).toEqual([]);
    expect(refused).toBeGreaterThanOrEqual(60);
  });

  it("O8 are as documented when a body or a parameter is invalid", async () => {
    const idsFor = sharedIds(world.connection, project);
    const ofProject = responding.filter(({ auth }) => auth.kind === "project");
    const { issues, refused } = await walk(ofProject, async (route) => {
      const ids = await idsFor(route);
      const path = route.path.replaceAll(/\{(\w+)\}/g, (_, param: string) => encodeURIComponent(ids[param] ?? ""));
      return route.method === "GET"
        ? project.api.get(`${path}?nobody_knows=1`)
        : project.api.send(route.method, path, { nobody_knows: 1 });
    });
    expect(issues).toEqual([]);
    expect(refused, ofProject.map(nameOf).join()).toBe(ofProject.length);
  });
});

describe("the OpenAPI document", () => {
  it("O8 lists the responses of a trigger when the run exists, is only validated, or has not ended in time", async () => {
    const job = await makeJob(project);
    const path = `/v1/jobs/${job.id}/trigger`;
    const headers = { "idempotency-key": "once" };
    const responses = [
      await project.api.post(path, {}, { headers }),
      await project.api.post(path, {}, { headers }),
      await project.api.post(path, { dry_run: true }),
    ];
    expect(responses.map(({ status }) => status)).toEqual([201, 200, 200]);
    expect(documented("POST", "/v1/jobs/{jobID}/trigger")).toEqual(expect.arrayContaining([200, 201, 202]));
  });

  it("O8 lists the same for a workflow trigger", async () => {
    const { path } = await makeWorkflow(project);
    const headers = { "idempotency-key": "once" };
    const responses = [
      await project.api.post(`${path}/trigger`, {}, { headers }),
      await project.api.post(`${path}/trigger`, {}, { headers }),
      await project.api.post(`${path}/trigger`, { dry_run: true }),
    ];
    expect(responses.map(({ status }) => status)).toEqual([201, 200, 200]);
    expect(documented("POST", "/v1/workflows/{workflowID}/trigger")).toEqual(expect.arrayContaining([200, 201, 202]));
  });

  it.each([
    ["wait-for-event", { event_key: "asked-twice" }],
    ["sleep", { secs: 60 }],
  ])("O8 lists the response of %s to a repeated call of a run", async (verb, input) => {
    const { sdk } = await runningRun(world, project);
    const responses = [await sdk.post(`/${verb}`, input), await sdk.post(`/${verb}`, input)];
    expect(responses.map(({ status }) => status)).toEqual([201, 200]);
    expect(documented("POST", `/sdk/v1/runs/{runID}/${verb}`)).toEqual(expect.arrayContaining([200, 201]));
  });

  it("O8 lists the response of spawn for an existing child", async () => {
    const job = await makeJob(project);
    const { sdk } = await runningRun(world, project);
    const input = { job_id: job.id, idempotency_key: "child" };
    const responses = [await sdk.post("/spawn", input), await sdk.post("/spawn", input)];
    expect(responses.map(({ status }) => status)).toEqual([201, 200]);
    expect(documented("POST", "/sdk/v1/runs/{runID}/spawn")).toEqual(expect.arrayContaining([200, 201]));
  });

  it("O8 lists every content type of a workflow run's decisions", async () => {
    const { path } = await makeWorkflow(project);
    const run = (await project.api.post(`${path}/trigger`, {})).body;
    const { paths } = (await world.anonymous.get("/openapi.json")).body;
    const { content } = paths["/v1/workflow-runs/{workflowRunID}/explain"].get.responses[200];
    expect(Object.keys(content)).toEqual(["application/json", "application/x-ndjson", "text/event-stream"]);
    expect(content["application/json"].schema.$ref).toMatch(/WorkflowDecisionList$/);
    for (const accept of ["application/json", "application/x-ndjson"]) {
      const response = await project.api.get(`/v1/workflow-runs/${run.id}/explain`, { headers: { accept } });
      expect([response.status, response.headers.get("content-type")]).toEqual([200, expect.stringContaining(accept)]);
    }
  });

  it("O8 lists the response to a job whose run has ended, both forms of an export, and the header of a repeated request", async () => {
    const { paths } = (await world.anonymous.get("/openapi.json")).body;
    const ofRun = [paths["/sdk/v1/runs/{runID}"].get, paths["/sdk/v1/runs/{runID}/heartbeat"].post];
    for (const { responses } of [...ofRun, paths["/sdk/v1/runs/{runID}/complete"].post])
      expect(responses[410].description).toContain("run_already_ended");
    const { content } = paths["/v1/audit-events/export"].get.responses[200];
    expect(Object.keys(content)).toEqual(["application/x-ndjson", "text/csv"]);
    const trigger = paths["/v1/jobs/{jobID}/trigger"].post.responses[200];
    expect(trigger.headers).toHaveProperty("Idempotent-Replayed");
  });

  it("O1 O8 describes the checks of a service that is not ready as such, and not as a problem", () => {
    const route = allRoutes.find(({ path }) => path === "/health/ready");
    expect(route?.otherResponses?.[503]).toBe(route?.response);
  });

  it("O7 lists null in every nullable enum", () => {
    const issues: string[] = [];
    for (const [name, schema] of namedSchemas) collectIssues(schema, name, issues);
    expect(issues).toEqual([]);
  });
});

function collectIssues(schema: unknown, place: string, issues: string[]): void {
  if (typeof schema !== "object" || schema === null) return;
  const { type, enum: values } = schema as { type?: unknown; enum?: unknown };
  const mayBeNull = Array.isArray(type) && type.includes("null");
  if (mayBeNull && Array.isArray(values) && !values.includes(null)) issues.push(place);
  for (const [name, part] of Object.entries(schema)) collectIssues(part, `${place}.${name}`, issues);
}
