import { beforeAll, describe, expect, it } from "vitest";
import { idsIn } from "../../test/path-ids.ts";
import { makeWorld, type TestProject, type World } from "../../test/world.ts";
import type { RouteRow } from "../platform/route.ts";
import { allRoutes } from "./all-routes.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld();
  project = await world.project();
});

type Properties = Record<string, { properties?: Properties }>;
const nameOf = ({ method, path }: RouteRow) => `${method} ${path}`;
const rowNamed = (name: string) => allRoutes.find((row) => nameOf(row) === name) as RouteRow;

function propertiesOf(schema: unknown): Properties {
  return (schema as { properties?: Properties } | undefined)?.properties ?? {};
}

async function placeOf(row: RouteRow): Promise<string> {
  const ids = await idsIn(world.connection, project, row);
  return row.path.replaceAll(/\{(\w+)\}/g, (_, param: string) => ids[param] ?? "");
}

const [EARLY, LATE] = ["2030-01-01T00:00:00.000Z", "2030-01-02T00:00:00.000Z"];

describe("from and to", () => {
  const queried = allRoutes.filter(({ query }) => "from" in propertiesOf(query) && "to" in propertiesOf(query));
  const filtered = allRoutes.filter(({ body }) => "from" in propertiesOf(propertiesOf(body).filter));

  it("stand in lists, reports and filters of bulk requests", () => {
    expect(queried.length).toBeGreaterThanOrEqual(17);
    expect(filtered.map(nameOf).length).toBeGreaterThanOrEqual(3);
  });

  it.each(queried.map(nameOf))("%s refuses a from after its to, with both places", async (name) => {
    const path = await placeOf(rowNamed(name));
    const { status, body } = await project.api.get(`${path}?from=${LATE}&to=${EARLY}`);
    expect([status, body.code]).toEqual([422, "validation_failed"]);
    expect(body.errors).toEqual([
      { location: "query.from", message: "is after `to`", value: LATE },
      { location: "query.to", message: "is before `from`", value: EARLY },
    ]);
  });

  it.each(filtered.map(nameOf))("%s refuses it in its filter", async (name) => {
    const row = rowNamed(name);
    const { status, body } = await project.api.send(row.method, await placeOf(row), {
      filter: { from: LATE, to: EARLY },
    });
    expect([status, body.code]).toEqual([422, "validation_failed"]);
    expect(body.errors).toMatchObject([{ location: "body.filter.from" }, { location: "body.filter.to" }]);
  });
});
