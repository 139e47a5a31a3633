import { beforeAll, describe, expect, it } from "vitest";
import { readStream } from "../../test/outside/read-stream.ts";
import { auditedRequest } from "../../test/requests/audited-requests.ts";
import { foreignIds, type IdPlace, idPlacesIn } from "../../test/requests/id-places.ts";
import { idsIn, paramsOf } from "../../test/requests/path-ids.ts";
import { eachOf, requestRoute } from "../../test/requests/walk-routes.ts";
import { seedRun } from "../../test/seed/seed-run.ts";
import { seedTrigger } from "../../test/seed/seed-trigger.ts";
import type { ClientResponse } from "../../test/world/client.ts";
import { runSql } from "../../test/world/database.ts";
import { makeWorld, type TestProject, type World } from "../../test/world/world.ts";
import { newId } from "../platform/ids.ts";
import type { Route } from "../platform/route.ts";
import { allRoutes } from "./all-routes.ts";

/** The routes that a key of a project may call. */
const routes = allRoutes.filter(({ auth }) => auth.kind === "project");

let world: World;
let own: TestProject;
let foreign: TestProject;
let ids: Record<string, string>;
beforeAll(async () => {
  world = await makeWorld();
  [own, foreign] = [await world.project(), await world.project()];
  ids = await foreignIds(world, foreign);
});

/** Everything visible in a response, except for ids and times, which differ per request. */
function shown({ status, text }: ClientResponse): string {
  const ids = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
  const times = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;
  const others = /sample-[0-9a-f]+|svc_\w+|whsec_[\w+/=]+|project-[0-9a-z-]+/g;
  return `${status} ${text.replace(ids, "<id>").replace(times, "<time>").replace(others, "<own>")}`;
}

async function sameForBoth(
  route: Route,
  place: IdPlace,
  call: (id: string) => Promise<ClientResponse>,
): Promise<string[]> {
  const [known, unknown] = [ids[place.kind] ?? "", newId()];
  const [there, nowhere] = [await call(known), await call(unknown)];
  const name = `${route.method} ${route.path} ${place.path.join(".")}`;
  if (there.status >= 500) return [`${name}: ${there.status}`];
  const [one, other] = [shown(there), shown(nowhere)];
  return one === other ? [] : [`${name}:\n  ${one.slice(0, 300)}\n  ${other.slice(0, 300)}`];
}

describe("an id of another project", { timeout: 180_000 }, () => {
  it("A2 in a query responds like an unknown one", async () => {
    const cases = routes.flatMap((route) => idPlacesIn(route.query).map((place) => ({ route, place })));
    const wrong: string[] = [];
    await eachOf(cases, async ({ route, place }) => {
      const params = await idsIn(world.connection, own, route);
      const headers = { authorization: `Bearer ${own.key}` };
      const call = (id: string) =>
        requestRoute(world.url, route, { headers, params, query: `?${place.path[0]}=${id}` });
      wrong.push(...(await sameForBoth(route, place, call)));
    });
    expect(wrong).toEqual([]);
    expect(cases.length).toBeGreaterThanOrEqual(20);
  });

  it("A2 in a body, alone or in a list, responds like an unknown one, and changes nothing", async () => {
    const cases = routes.flatMap((route) => idPlacesIn(route.body).map((place) => ({ route, place })));
    const before = await runSql(world.connection, "select id, status from runs where project_id = $1 order by id", [
      foreign.id,
    ]);
    const wrong: string[] = [];
    await eachOf(cases, async ({ route, place }) => {
      const { project, path, body } = await auditedRequest(world, route);
      const call = (id: string) => project.api.send(route.method, path, place.put(body ?? {}, id));
      wrong.push(...(await sameForBoth(route, place, call)));
    });
    expect(wrong).toEqual([]);
    expect(cases.length).toBeGreaterThanOrEqual(30);
    const after = await runSql(world.connection, "select id, status from runs where project_id = $1 order by id", [
      foreign.id,
    ]);
    expect(after).toEqual(before);
  });

  it.each(["run", "run_logs", "workflow_run", "batch"])(
    "A2 in the topic %s gets the same response as an unknown one",
    async (kind) => {
      const known = ids[kind === "run_logs" ? "run" : kind] ?? "";
      const call = async (id: string) => {
        const response = await own.api.get(`/v1/stream?topics=${kind}:${id}`);
        return shown(response);
      };
      const unknown = await call(newId());
      expect(await call(known)).toBe(unknown);
      expect(unknown).toContain("404");
    },
  );

  it("A2 is not in the streams of a project", async () => {
    const stream = await readStream(world.url, "/v1/stream?topics=runs,workflow_runs,events", {
      authorization: `Bearer ${own.key}`,
    });
    const job = (await foreign.api.post("/v1/jobs", { name: "Job", endpoint_url: "https://example.com/" })).body;
    const ownJob = (await own.api.post("/v1/jobs", { name: "Job", endpoint_url: "https://example.com/" })).body;
    await foreign.api.post(`/v1/jobs/${job.id}/trigger`, { payload: {} });
    const { body } = await own.api.post(`/v1/jobs/${ownJob.id}/trigger`, { payload: {} });
    await stream.next("change", ({ id }) => id === body.id);
    expect(JSON.stringify(stream.events)).not.toContain(foreign.id);
    expect(stream.events.filter(({ event }) => event === "change").map(({ data }) => data.id)).toEqual([body.id]);
    stream.close();
  });

  it("A2 in a prefix matches only the project's own events", async () => {
    const prefix = `order-${newId()}`;
    const theirs = await seedTrigger(world.connection, foreign.id, { event_key: `${prefix}-1` });
    const response = await own.api.post(`/v1/events/prefix/${prefix}/send`, { payload: {} });
    const nobody = await own.api.post(`/v1/events/prefix/${newId()}/send`, { payload: {} });
    expect(shown(response).replace(prefix, "")).toBe(shown(nobody).replace("<id>", ""));
    const [row] = await runSql(world.connection, "select status from event_triggers where id = $1", [theirs.id]);
    expect(row).toEqual({ status: "waiting" });
  });

  it("A2 is refused in a cursor of another project's list", async () => {
    const lists = routes.filter(
      (route) =>
        route.method === "GET" && "cursor" in ((route.query as unknown as { properties?: object })?.properties ?? {}),
    );
    for (const project of [own, foreign]) for (let n = 0; n < 3; n++) await seedRun(world.connection, project.id);
    const [wrong, made]: string[][] = [[], []];
    await eachOf(lists, async (route) => {
      const params = await idsIn(world.connection, foreign, route);
      const theirs = await requestRoute(world.url, route, {
        ...{ headers: { authorization: `Bearer ${foreign.key}` }, params, query: "?limit=1" },
      });
      const cursor = theirs.body?.next_cursor;
      if (typeof cursor !== "string") return;
      made?.push(route.path);
      const ownParams = paramsOf(route).length === 0 ? {} : await idsIn(world.connection, own, route);
      const response = await requestRoute(world.url, route, {
        ...{ headers: { authorization: `Bearer ${own.key}` }, params: ownParams, query: `?limit=1&cursor=${cursor}` },
      });
      if (response.status !== 422 && response.status !== 400) wrong?.push(`${route.path}: ${response.status}`);
      if (response.text.includes(foreign.id)) wrong?.push(`${route.path} reveals the other project`);
    });
    expect(wrong).toEqual([]);
    expect(made?.length).toBeGreaterThanOrEqual(4);
  });
});
