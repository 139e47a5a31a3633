import { beforeAll, describe, expect, it } from "vitest";
import { idsIn } from "../../test/requests/path-ids.ts";
import { makeJob, makeWorkflow } from "../../test/seed/make-workflow.ts";
import { makeWorld, type TestProject, type World } from "../../test/world/world.ts";
import { newId } from "../platform/ids.ts";
import type { Route } from "../platform/route.ts";
import { allRoutes } from "./all-routes.ts";

let world: World;
let project: TestProject;
/** Ids of objects in another project, by the name of the filter. */
let foreign: Record<string, string>;
beforeAll(async () => {
  world = await makeWorld();
  project = await world.project();
  const other = await world.project();
  foreign = {
    job_id: (await makeJob(other)).id,
    workflow_id: (await makeWorkflow(other)).id,
    environment_id: (await other.api.get("/v1/environments/production")).body.id,
    role_id: (await other.api.post("/v1/roles", { name: "Role", permissions: ["runs:read"] })).body.id,
  };
});

type Properties = Record<string, { properties?: Properties }>;
const nameOf = ({ method, path }: Route) => `${method} ${path}`;
const routeNamed = (name: string) => allRoutes.find((route) => nameOf(route) === name) as Route;

function propertiesOf(schema: unknown): Properties {
  return (schema as { properties?: Properties } | undefined)?.properties ?? {};
}

async function placeOf(route: Route): Promise<string> {
  const ids = await idsIn(world.connection, project, route);
  return route.path.replaceAll(/\{(\w+)\}/g, (_, param: string) => ids[param] ?? "");
}

/** The filters that name an object, and the error for an unknown object. */
const REFS: Record<string, string> = {
  job_id: "is not a job of this project",
  workflow_id: "is not a workflow of this project",
  environment_id: "is not an environment of this project",
  role_id: "is not a role of this project",
};

describe("a filter that names a job, a workflow, an environment or a role", () => {
  const filters = (schema: unknown) => Object.keys(propertiesOf(schema)).filter((name) => name in REFS);
  const listed = allRoutes
    .filter(({ method }) => method === "GET")
    .flatMap((route) => filters(route.query).map((filter) => [nameOf(route), filter] as const));
  const filtered = allRoutes.flatMap((route) =>
    filters(propertiesOf(route.body).filter).map((filter) => [nameOf(route), filter] as const),
  );

  it("is accepted by many lists and reports", () => {
    expect(listed.length).toBeGreaterThanOrEqual(30);
    expect(filtered.length).toBeGreaterThanOrEqual(3);
  });

  it.each(listed)("%s refuses an unknown %s with its location, also one of another project", async (name, filter) => {
    const path = await placeOf(routeNamed(name));
    for (const value of ["nowhere", newId(), foreign[filter]]) {
      const { status, body } = await project.api.get(`${path}?${filter}=${value}`);
      expect([status, body.code]).toEqual([422, "validation_failed"]);
      expect(body.errors).toEqual([{ location: `query.${filter}`, message: REFS[filter], value }]);
    }
  });

  it.each(filtered)("%s refuses an unknown %s in its filter", async (name, filter) => {
    const route = routeNamed(name);
    const { status, body } = await project.api.send(route.method, await placeOf(route), {
      filter: { [filter]: newId() },
    });
    expect([status, body.errors]).toMatchObject([422, [{ location: `body.filter.${filter}`, message: REFS[filter] }]]);
  });

  it("finds a deleted object by id, but not by slug", async () => {
    const made = {
      job_id: await project.api.post("/v1/jobs", { name: "Gone", slug: "gone", endpoint_url: "https://example.com/" }),
      environment_id: await project.api.post("/v1/environments", { name: "Gone", slug: "gone" }),
    };
    for (const [filter, { body }] of Object.entries(made)) {
      const path = filter === "job_id" ? "jobs" : "environments";
      expect((await project.api.delete(`/v1/${path}/${body.id}`)).status).toBe(204);
      expect((await project.api.get(`/v1/runs?${filter}=${body.id}`)).body.data).toEqual([]);
      expect((await project.api.get(`/v1/runs?${filter}=gone`)).status).toBe(422);
    }
  });
});

const [EARLY, LATE] = ["2030-01-01T00:00:00.000Z", "2030-01-02T00:00:00.000Z"];

describe("from and to", () => {
  const queried = allRoutes.filter(({ query }) => "from" in propertiesOf(query) && "to" in propertiesOf(query));
  const filtered = allRoutes.filter(({ body }) => "from" in propertiesOf(propertiesOf(body).filter));

  it("are accepted by lists, reports and filters of bulk requests", () => {
    expect(queried.length).toBeGreaterThanOrEqual(17);
    expect(filtered.map(nameOf).length).toBeGreaterThanOrEqual(3);
  });

  it.each(queried.map(nameOf))("%s refuses a from after its to, with both locations", async (name) => {
    const path = await placeOf(routeNamed(name));
    const { status, body } = await project.api.get(`${path}?from=${LATE}&to=${EARLY}`);
    expect([status, body.code]).toEqual([422, "validation_failed"]);
    expect(body.errors).toEqual([
      { location: "query.from", message: "is after `to`", value: LATE },
      { location: "query.to", message: "is before `from`", value: EARLY },
    ]);
  });

  it.each(filtered.map(nameOf))("%s refuses a from after its to in its filter", async (name) => {
    const route = routeNamed(name);
    const { status, body } = await project.api.send(route.method, await placeOf(route), {
      filter: { from: LATE, to: EARLY },
    });
    expect([status, body.code]).toEqual([422, "validation_failed"]);
    expect(body.errors).toMatchObject([{ location: "body.filter.from" }, { location: "body.filter.to" }]);
  });
});
