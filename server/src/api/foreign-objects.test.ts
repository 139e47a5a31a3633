import { beforeAll, describe, expect, it } from "vitest";
import { applicationDatabase } from "../../test/outside/application-database.ts";
import { edgeRoutes } from "../../test/requests/edge-routes.ts";
import { idsIn, paramsOf, sharedIds } from "../../test/requests/path-ids.ts";
import { sampleBody } from "../../test/requests/sample-body.ts";
import { eachOf, requestRoute } from "../../test/requests/walk-routes.ts";
import { kindOfPath, oneOfEachKind, oneOfEachScope, oneOfEachTable } from "../../test/seed/one-of-each.ts";
import { oneEventSource } from "../../test/seed/seed-event-source.ts";
import type { ClientResponse } from "../../test/world/client.ts";
import { isWholeSize } from "../../test/world/size.ts";
import { INTERNAL_SECRET, makeWorld, type TestProject, type World } from "../../test/world/world.ts";
import { newId } from "../platform/ids.ts";
import type { Route } from "../platform/route.ts";
import { allRoutes } from "./all-routes.ts";

const routes = [...allRoutes, ...edgeRoutes];
const projectRoutes = routes.filter((route) => route.auth.kind === "project");
/** The routes whose path names an object of a tenant. A prefix names none: possibly no object begins with it. */
const objectRoutes = routes.filter(
  (route) =>
    paramsOf(route).some((param) => param !== "prefix") && route.auth.kind !== "none" && route.auth.kind !== "run",
);
/** Those whose path has an id, so that the project need not be named. */
// Keys and names are unique within a project only.
const idRoutes = objectRoutes.filter(
  (route) => !paramsOf(route).some((param) => param === "eventKey" || param === "queueName"),
);
/** They are for people and refuse API keys. */
const FOR_PEOPLE = new Set(["/v1/members/transfer", "/v1/api-keys/personal"]);
// Of the same length as an id, so that the response has the same length too.
const MALFORMED = "zzzzzzzz-zzzz-zzzz-zzzz-zzzzzzzzzzzz";

let world: World;
let own: TestProject;
let foreign: TestProject;
beforeAll(async () => {
  world = await makeWorld({ routes: edgeRoutes });
  own = await world.project();
  foreign = await world.project();
});

function sameForAll(route: Route, id: string): Record<string, string> {
  return Object.fromEntries(paramsOf(route).map((param) => [param, id]));
}

async function ownPath(route: Route): Promise<string> {
  const ids = await idsIn(world.connection, own, route);
  return route.path.replaceAll(/\{(\w+)\}/g, (_, param: string) => ids[param] ?? "");
}

/** A body that succeeds: it has fields that are required beyond the schema. */
async function acceptableBody(route: Route): Promise<object> {
  const trigger = allRoutes.find(({ path }) => path === "/v1/jobs/{jobID}/trigger");
  const job = trigger && (await idsIn(world.connection, own, trigger)).jobID;
  const fields: Record<string, unknown> = {
    name: route.path === "/v1/queues" ? newId() : `Sample ${newId()}`,
    endpoint_url: "https://example.com/",
    job_id: job,
    cron: "@daily",
    ...(route.path === "/v1/outbox-sources" && { database_url: (await applicationDatabase()).url }),
    source: (await oneEventSource(world.connection, own.id)()).sourceID,
    steps: [{ step_ref: "rest", type: "sleep", sleep_duration: "1h" }],
  };
  const wanted = [...((route.body as unknown as { required?: string[] }).required ?? [])];
  // They need a job or a workflow, but their schemas require neither.
  if (/^\/v1\/(schedules|event-sources\/\{sourceID\}\/subscriptions)$/.test(route.path)) wanted.push("job_id");
  return Object.fromEntries(Object.entries(fields).filter(([name]) => wanted.includes(name)));
}

/** Everything a caller can see of a response, except for per-request values. */
function visibleOf({ status, headers, body }: ClientResponse) {
  const { "x-request-id": _id, date: _date, ...rest } = Object.fromEntries(headers);
  // The request is echoed: the path, and the value at its location.
  const errors = ((body?.errors ?? []) as object[]).map((issue) => ({ ...issue, value: null }));
  return { status, headers: rest, body: { ...body, request_id: null, instance: null, errors } };
}

describe("objects of another project", { timeout: 180_000 }, () => {
  it("A2 respond like unknown ids and invalid ids, to the byte", async () => {
    const headers = { authorization: `Bearer ${own.key}` };
    const ids = sharedIds(world.connection, foreign);
    const visible = async (route: Route, params: Record<string, string>) => {
      const seen = visibleOf(await requestRoute(world.url, route, { headers, params }));
      // The body contains the path, which differs between routes.
      return {
        ...seen,
        headers: { ...seen.headers, "content-length": Number(seen.headers["content-length"]) - route.path.length },
      };
    };
    // Routes with the same kind of path respond alike; the soak suite compares each with itself.
    const unknowns = new Map<string, ReturnType<typeof visible>>();
    const unknownFor = (route: Route) => {
      const name = isWholeSize() ? `${route.method} ${route.path}` : kindOfPath(route);
      const known = unknowns.get(name);
      if (known) return { response: known, isFirst: false };
      const response = visible(route, sameForAll(route, newId()));
      unknowns.set(name, response);
      return { response, isFirst: true };
    };
    let walked = 0;
    await eachOf(objectRoutes, async (route) => {
      const { response, isFirst } = unknownFor(route);
      const [foreignResponse, unknown] = [await visible(route, await ids(route)), await response];
      expect(foreignResponse.status, route.path).toBe(route.auth.kind === "internal" ? 403 : 404);
      expect(foreignResponse, route.path).toEqual(unknown);
      if (isFirst) expect(await visible(route, sameForAll(route, MALFORMED)), route.path).toEqual(unknown);
      walked++;
    });
    expect(walked).toBe(objectRoutes.length);
    expect(walked).toBeGreaterThanOrEqual(10);
  });

  it("A1 do not exist for the internal secret either, once it has named a project", async () => {
    const headers = { "x-internal-secret": INTERNAL_SECRET, "x-project-id": own.id };
    const walked = oneOfEachTable(idRoutes.filter((route) => route.auth.kind === "project"));
    await eachOf(walked, async (route) => {
      const foreignResponse = visibleOf(
        await requestRoute(world.url, route, { headers, params: await idsIn(world.connection, foreign, route) }),
      );
      const unknown = visibleOf(await requestRoute(world.url, route, { headers, params: sameForAll(route, newId()) }));
      expect(foreignResponse.status, route.path).toBe(404);
      expect(foreignResponse, route.path).toEqual(unknown);
    });
    expect(walked.length).toBeGreaterThanOrEqual(6);
  });

  it("A1 are found by the internal secret by id alone, until their project is deleted", async () => {
    const headers = { "x-internal-secret": INTERNAL_SECRET };
    const gone = await world.project();
    const walked = await Promise.all(
      oneOfEachTable(idRoutes).map(async (route) => ({ route, params: await idsIn(world.connection, gone, route) })),
    );
    // The database of a seeded outbox source cannot be read.
    const reads = walked.filter(({ route }) => route.method === "GET" && !route.path.endsWith("/refused"));
    const call = ({ route, params }: (typeof walked)[number]) => requestRoute(world.url, route, { headers, params });
    for (const each of reads) expect((await call(each)).status, each.route.path).toBe(200);
    await world.admin.delete(`/v1/projects/${gone.id}`);
    await eachOf(walked, async (each) => {
      expect((await call(each)).status, `${each.route.method} ${each.route.path}`).toBe(404);
    });
    expect(reads.length).toBeGreaterThanOrEqual(3);
  });

  it("A2 are in no list, and in no response to a key", async () => {
    // Routes for operators do not answer the key: in development they trust this machine.
    const isList = (route: Route) =>
      route.method === "GET" && paramsOf(route).length === 0 && route.auth.kind !== "operator";
    const lists = routes.filter(isList);
    await eachOf(lists, async (route) => {
      const response = await requestRoute(world.url, route, { headers: { authorization: `Bearer ${own.key}` } });
      expect(response.text, route.path).not.toContain(foreign.id);
      expect(response.text, route.path).not.toContain(foreign.slug);
    });
    expect(lists.length).toBeGreaterThanOrEqual(10);
  });
});

describe("another project named by the request", { timeout: 180_000 }, () => {
  const waysToName: Record<string, (id: string) => { query?: string; headers?: Record<string, string> }> = {
    "the query": (id) => ({ query: `?project_id=${id}` }),
    "the header": (id) => ({ headers: { "x-project-id": id } }),
  };

  it.each(Object.keys(waysToName))("A2 in %s is 403 for a key, whether it exists or not", async (way) => {
    const names = [foreign.id, foreign.slug, newId(), "no-such-project"];
    let walked = 0;
    // The soak suite tries all of them on every route; here each route is tried with the next one.
    const pairs = oneOfEachScope(projectRoutes).flatMap((route, nth) =>
      names.filter((_, at) => isWholeSize() || at === nth % names.length).map((name) => ({ route, name })),
    );
    await eachOf(pairs, async ({ route, name }) => {
      const { query, headers } = waysToName[way]?.(name) ?? {};
      const response = await requestRoute(world.url, route, {
        query: query ?? "",
        headers: { authorization: `Bearer ${own.key}`, ...headers },
      });
      expect([response.status, response.body.code], `${route.method} ${route.path} ${name}`).toEqual([
        403,
        "project_mismatch",
      ]);
      walked++;
    });
    expect(walked).toBe(pairs.length);
    expect(walked).toBeGreaterThanOrEqual(40);
  });

  it("A2 in a body is 403, but the key's own by id and by slug is not", async () => {
    const creates = projectRoutes.filter(
      (route) => route.method === "POST" && hasProjectField(route) && !FOR_PEOPLE.has(route.path),
    );
    for (const [nth, route] of creates.entries()) {
      const path = await ownPath(route);
      const post = async (project_id: string) =>
        own.api.post(path, { ...(sampleBody(route.body) as object), ...(await acceptableBody(route)), project_id });
      expect((await post(foreign.id)).body.code, path).toBe("project_mismatch");
      // Each route by the next of the two; the soak suite tries both.
      const names = [own.id, own.slug].filter((_, at) => isWholeSize() || at === nth % 2);
      for (const name of names) expect((await post(name)).status, path).toBe(route.status);
    }
    expect(creates.length).toBeGreaterThanOrEqual(2);
  });

  it("A1 must exist for the internal secret, must be unique, and must be named where no id determines it", async () => {
    const headers = { "x-internal-secret": INTERNAL_SECRET };
    await eachOf(oneOfEachKind(projectRoutes), async (route) => {
      const unknown = await requestRoute(world.url, route, { query: `?project_id=${newId()}`, headers });
      expect([unknown.status, unknown.body.code], route.path).toEqual([404, "not_found"]);
      const two = await requestRoute(world.url, route, {
        query: `?project_id=${own.id}`,
        headers: { ...headers, "x-project-id": foreign.id },
      });
      expect([two.status, two.body.code], route.path).toEqual([422, "validation_failed"]);
      const none = await requestRoute(world.url, route, { headers });
      const foundByPath = route.auth.kind === "project" && route.auth.found_by !== undefined;
      expect([none.status, none.body.code], route.path).toEqual(
        foundByPath ? [404, "not_found"] : [422, "project_required"],
      );
    });
  });

  function hasProjectField(route: Route): boolean {
    return "project_id" in ((route.body as unknown as { properties?: object })?.properties ?? {});
  }
});

describe("a key bound to an environment", () => {
  it("A2 sees only that environment; objects of others respond as if they did not exist", async () => {
    const { data } = (await own.api.get("/v1/environments")).body;
    const [bound, other] = data as { id: string }[];
    if (!bound || !other) throw new Error("a project has environments");
    const key = await own.newKey({ environment_id: bound.id });

    const listed = (await key.api.get("/v1/environments")).body.data as { id: string }[];
    expect(listed.map((environment) => environment.id)).toEqual([bound.id]);
    const keys = (await key.api.get("/v1/api-keys")).body.data as { id: string }[];
    expect(keys.map((each) => each.id)).toEqual([key.id]);
    const otherResponse = visibleOf(await key.api.get(`/v1/environments/${other.id}`));
    expect(otherResponse).toEqual(visibleOf(await key.api.get(`/v1/environments/${newId()}`)));
    expect(otherResponse.status).toBe(404);
    expect((await key.api.patch(`/v1/environments/${other.id}`, { name: "Mine" })).status).toBe(404);
    expect((await key.api.delete(`/v1/api-keys/${own.key_id}`)).status).toBe(404);
    expect((await key.api.post("/v1/environments", { name: "Another" })).status).toBe(403);
    const wider = await key.api.post("/v1/api-keys", { name: "Wider", environment_id: other.id });
    expect(wider.body.code).toBe("grant_too_wide");
  });
});

describe("secrets of keys", () => {
  it("A9 are in the response that creates them, and in no other", async () => {
    const created = await own.newKey();
    // The others would respond that there is no such object.
    const isShown = (route: Route) => paramsOf(route).every((param) => param === "keyID" || param === "projectID");
    const reads = routes.filter((route) => route.method === "GET" && (isWholeSize() || isShown(route)));
    await eachOf(reads, async (route) => {
      const response = await requestRoute(world.url, route, {
        headers: { authorization: `Bearer ${created.key}` },
        params: { keyID: created.id, projectID: own.id },
      });
      expect(response.text, route.path).not.toContain(created.key.slice(12));
    });
    expect(reads.length).toBeGreaterThanOrEqual(15);
    const rotated = await own.api.post(`/v1/api-keys/${created.id}/rotate`, { grace_period_minutes: 1 });
    expect(rotated.body).toMatchObject({ id: created.id, key: expect.stringMatching(/^svc_[0-9A-Za-z]{40}$/) });
    expect(rotated.body.key).not.toBe(created.key);
  });
});
