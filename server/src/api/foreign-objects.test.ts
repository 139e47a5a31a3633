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

const rows = [...allRoutes, ...edgeRoutes];
const projectRows = rows.filter((row) => row.auth.kind === "project");
/** The routes whose path names an object of a tenant. A prefix names none: possibly no object begins with it. */
const objectRows = rows.filter(
  (row) => paramsOf(row).some((param) => param !== "prefix") && row.auth.kind !== "none" && row.auth.kind !== "run",
);
/** Those whose path has an id, so that the project need not be named. */
// Keys and names are unique within a project only.
const idRows = objectRows.filter(
  (row) => !paramsOf(row).some((param) => param === "eventKey" || param === "queueName"),
);
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

function sameForAll(row: Route, id: string): Record<string, string> {
  return Object.fromEntries(paramsOf(row).map((param) => [param, id]));
}

async function ownPath(row: Route): Promise<string> {
  const ids = await idsIn(world.connection, own, row);
  return row.path.replaceAll(/\{(\w+)\}/g, (_, param: string) => ids[param] ?? "");
}

/** A body that succeeds: it has fields that are required beyond the schema. */
async function doable(row: Route): Promise<object> {
  const trigger = allRoutes.find(({ path }) => path === "/v1/jobs/{jobID}/trigger");
  const job = trigger && (await idsIn(world.connection, own, trigger)).jobID;
  const fields: Record<string, unknown> = {
    name: row.path === "/v1/queues" ? newId() : `Sample ${newId()}`,
    endpoint_url: "https://example.com/",
    job_id: job,
    cron: "@daily",
    ...(row.path === "/v1/outbox-sources" && { database_url: (await applicationDatabase()).url }),
    source: (await oneEventSource(world.connection, own.id)()).sourceID,
    steps: [{ step_ref: "rest", type: "sleep", sleep_duration: "1h" }],
  };
  const wanted = [...((row.body as unknown as { required?: string[] }).required ?? [])];
  // They need a job or a workflow, but their schemas require neither.
  if (/^\/v1\/(schedules|event-sources\/\{sourceID\}\/subscriptions)$/.test(row.path)) wanted.push("job_id");
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
    const visible = async (row: Route, params: Record<string, string>) => {
      const seen = visibleOf(await requestRoute(world.url, row, { headers, params }));
      // The body contains the path, which differs between routes.
      return {
        ...seen,
        headers: { ...seen.headers, "content-length": Number(seen.headers["content-length"]) - row.path.length },
      };
    };
    // Routes with the same kind of path respond alike; the soak suite compares each with itself.
    const unknowns = new Map<string, ReturnType<typeof visible>>();
    const unknownFor = (row: Route) => {
      const name = isWholeSize() ? `${row.method} ${row.path}` : kindOfPath(row);
      const known = unknowns.get(name);
      if (known) return { response: known, isFirst: false };
      const response = visible(row, sameForAll(row, newId()));
      unknowns.set(name, response);
      return { response, isFirst: true };
    };
    let walked = 0;
    await eachOf(objectRows, async (row) => {
      const { response, isFirst } = unknownFor(row);
      const [foreignResponse, unknown] = [await visible(row, await ids(row)), await response];
      expect(foreignResponse.status, row.path).toBe(row.auth.kind === "internal" ? 403 : 404);
      expect(foreignResponse, row.path).toEqual(unknown);
      if (isFirst) expect(await visible(row, sameForAll(row, MALFORMED)), row.path).toEqual(unknown);
      walked++;
    });
    expect(walked).toBe(objectRows.length);
    expect(walked).toBeGreaterThanOrEqual(10);
  });

  it("A1 do not exist for the internal secret either, once it has named a project", async () => {
    const headers = { "x-internal-secret": INTERNAL_SECRET, "x-project-id": own.id };
    const walked = oneOfEachTable(idRows.filter((row) => row.auth.kind === "project"));
    await eachOf(walked, async (row) => {
      const foreignResponse = visibleOf(
        await requestRoute(world.url, row, { headers, params: await idsIn(world.connection, foreign, row) }),
      );
      const unknown = visibleOf(await requestRoute(world.url, row, { headers, params: sameForAll(row, newId()) }));
      expect(foreignResponse.status, row.path).toBe(404);
      expect(foreignResponse, row.path).toEqual(unknown);
    });
    expect(walked.length).toBeGreaterThanOrEqual(6);
  });

  it("A1 are found by the internal secret by id alone, until their project is deleted", async () => {
    const headers = { "x-internal-secret": INTERNAL_SECRET };
    const gone = await world.project();
    const walked = await Promise.all(
      oneOfEachTable(idRows).map(async (row) => ({ row, params: await idsIn(world.connection, gone, row) })),
    );
    // The database of a seeded outbox source cannot be read.
    const reads = walked.filter(({ row }) => row.method === "GET" && !row.path.endsWith("/refused"));
    const call = ({ row, params }: (typeof walked)[number]) => requestRoute(world.url, row, { headers, params });
    for (const each of reads) expect((await call(each)).status, each.row.path).toBe(200);
    await world.admin.delete(`/v1/projects/${gone.id}`);
    await eachOf(walked, async (each) => {
      expect((await call(each)).status, `${each.row.method} ${each.row.path}`).toBe(404);
    });
    expect(reads.length).toBeGreaterThanOrEqual(3);
  });

  it("A2 are in no list, and in no response to a key", async () => {
    // Routes for operators do not answer the key: in development they trust this machine.
    const isList = (row: Route) => row.method === "GET" && paramsOf(row).length === 0 && row.auth.kind !== "operator";
    const lists = rows.filter(isList);
    await eachOf(lists, async (row) => {
      const response = await requestRoute(world.url, row, { headers: { authorization: `Bearer ${own.key}` } });
      expect(response.text, row.path).not.toContain(foreign.id);
      expect(response.text, row.path).not.toContain(foreign.slug);
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
    const pairs = oneOfEachScope(projectRows).flatMap((row, nth) =>
      names.filter((_, at) => isWholeSize() || at === nth % names.length).map((name) => ({ row, name })),
    );
    await eachOf(pairs, async ({ row, name }) => {
      const { query, headers } = waysToName[way]?.(name) ?? {};
      const response = await requestRoute(world.url, row, {
        query: query ?? "",
        headers: { authorization: `Bearer ${own.key}`, ...headers },
      });
      expect([response.status, response.body.code], `${row.method} ${row.path} ${name}`).toEqual([
        403,
        "project_mismatch",
      ]);
      walked++;
    });
    expect(walked).toBe(pairs.length);
    expect(walked).toBeGreaterThanOrEqual(40);
  });

  it("A2 in a body is 403, but the key's own by id and by slug is not", async () => {
    const creates = projectRows.filter((row) => row.method === "POST" && hasProjectField(row));
    for (const [nth, row] of creates.entries()) {
      const path = await ownPath(row);
      const post = async (project_id: string) =>
        own.api.post(path, { ...(sampleBody(row.body) as object), ...(await doable(row)), project_id });
      expect((await post(foreign.id)).body.code, path).toBe("project_mismatch");
      // Each route by the next of the two; the soak suite tries both.
      const names = [own.id, own.slug].filter((_, at) => isWholeSize() || at === nth % 2);
      for (const name of names) expect((await post(name)).status, path).toBe(row.status);
    }
    expect(creates.length).toBeGreaterThanOrEqual(2);
  });

  it("A1 must exist for the internal secret, must be unique, and must be named where no id determines it", async () => {
    const headers = { "x-internal-secret": INTERNAL_SECRET };
    await eachOf(oneOfEachKind(projectRows), async (row) => {
      const unknown = await requestRoute(world.url, row, { query: `?project_id=${newId()}`, headers });
      expect([unknown.status, unknown.body.code], row.path).toEqual([404, "not_found"]);
      const two = await requestRoute(world.url, row, {
        query: `?project_id=${own.id}`,
        headers: { ...headers, "x-project-id": foreign.id },
      });
      expect([two.status, two.body.code], row.path).toEqual([422, "validation_failed"]);
      const none = await requestRoute(world.url, row, { headers });
      const foundByPath = row.auth.kind === "project" && row.auth.found_by !== undefined;
      expect([none.status, none.body.code], row.path).toEqual(
        foundByPath ? [404, "not_found"] : [422, "project_required"],
      );
    });
  });

  function hasProjectField(row: Route): boolean {
    return "project_id" in ((row.body as unknown as { properties?: object })?.properties ?? {});
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
    const isShown = (row: Route) => paramsOf(row).every((param) => param === "keyID" || param === "projectID");
    const reads = rows.filter((row) => row.method === "GET" && (isWholeSize() || isShown(row)));
    await eachOf(reads, async (row) => {
      const response = await requestRoute(world.url, row, {
        headers: { authorization: `Bearer ${created.key}` },
        params: { keyID: created.id, projectID: own.id },
      });
      expect(response.text, row.path).not.toContain(created.key.slice(12));
    });
    expect(reads.length).toBeGreaterThanOrEqual(15);
    const rotated = await own.api.post(`/v1/api-keys/${created.id}/rotate`, { grace_period_minutes: 1 });
    expect(rotated.body).toMatchObject({ id: created.id, key: expect.stringMatching(/^svc_[0-9A-Za-z]{40}$/) });
    expect(rotated.body.key).not.toBe(created.key);
  });
});
