import { beforeAll, describe, expect, it } from "vitest";
import { idsIn } from "../../test/requests/path-ids.ts";
import { runSql } from "../../test/world/database.ts";
import { type Instance, makeWorld, type TestProject, type World } from "../../test/world/world.ts";
import type { Route } from "../platform/route.ts";
import { allRoutes } from "./all-routes.ts";

const LIST = "/v1/api-keys";
const ROWS = 120;
const lists = allRoutes.filter((route) => "cursor" in propertiesOf(route.query));

let world: World;
let project: TestProject;

/** A project with 120 keys, all created at the same instant. */
beforeAll(async () => {
  world = await makeWorld();
  await world.clock.set("2030-01-01T00:00:00Z");
  project = await world.project();
  await insertKeys(ROWS - 1);
});

function propertiesOf(schema: Route["query"]): Record<string, unknown> {
  return (schema as unknown as { properties?: Record<string, unknown> } | undefined)?.properties ?? {};
}

/** More keys without the cost of requests, under random ids: they sort before, between and after the others. */
async function insertKeys(count: number, created_at = "clock()"): Promise<void> {
  await runSql(
    world.connection,
    `insert into api_keys (project_id, id, name, key_prefix, rotated_at, created_by, created_at, updated_at)
     select $1, gen_random_uuid(), 'one of many', 'svc_', clock(), 'test', ${created_at}, clock()
     from generate_series(1, $2::int)`,
    [project.id, count],
  );
}

type PageOf = { data: { id: string; created_at: string }[]; has_more: boolean; next_cursor: string | null };

/** Every page from the first to the last; `between` runs after each. */
async function readAll(query: string, between: () => Promise<unknown> = async () => {}): Promise<PageOf[]> {
  const pages: PageOf[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const response = await project.api.get(`${LIST}?${query}${cursor && `&cursor=${cursor}`}`);
    expect(response.status).toBe(200);
    pages.push(response.body);
    cursor = response.body.next_cursor;
    await between();
  }
  return pages;
}

const idsOf = (pages: PageOf[]) => pages.flatMap((page) => page.data.map((row) => row.id));

describe("pages", () => {
  it.each(["asc", "desc"])("O6 show each of 120 rows of the same instant exactly once, %s", async (order) => {
    const everyId = idsOf(await readAll(`limit=100&order=${order}`));
    expect(new Set(everyId).size).toBe(ROWS);
    for (const limit of [7, 50, 99]) expect(idsOf(await readAll(`limit=${limit}&order=${order}`))).toEqual(everyId);
    expect(everyId).toEqual(order === "asc" ? everyId.toSorted() : everyId.toSorted().toReversed());
  });

  it("O6 have 50 rows by default, and 100 at most", async () => {
    const { body } = await project.api.get(LIST);
    expect([body.data.length, body.has_more]).toEqual([50, true]);
    expect((await project.api.get(`${LIST}?limit=100`)).body.data).toHaveLength(100);
  });

  it.each([40, 60, 100])(
    "O6 of %i report correctly whether more rows follow, also on exact multiples",
    async (limit) => {
      const pages = await readAll(`limit=${limit}`);
      expect(pages).toHaveLength(Math.ceil(ROWS / limit));
      for (const page of pages) {
        const isLast = page === pages.at(-1);
        expect([page.has_more, page.next_cursor === null]).toEqual([!isLast, isLast]);
      }
    },
  );

  it("O6 of an empty list are a single empty one", async () => {
    const response = await project.api.get(`${LIST}?status=expired`);
    expect(response.body).toMatchObject({ data: [], has_more: false, next_cursor: null });
  });
});

describe("cursors", () => {
  let cursor: string;
  beforeAll(async () => {
    cursor = (await project.api.get(`${LIST}?limit=5`)).body.next_cursor;
  });

  const callWith = (given: string, path = LIST) =>
    project.api.get(`${path}${path.includes("?") ? "&" : "?"}cursor=${encodeURIComponent(given)}`);

  async function expectRefused(response: { status: number; body: { code: string } }) {
    expect([response.status, response.body.code]).toEqual([400, "invalid_cursor"]);
  }

  it("O6 with any changed character are 400", async () => {
    for (let at = 0; at < cursor.length; at += 5) {
      const changed = `${cursor.slice(0, at)}${cursor[at] === "A" ? "B" : "A"}${cursor.slice(at + 1)}`;
      await expectRefused(await callWith(changed));
    }
    for (const junk of ["", "x", "null", "....", `${cursor}=`, `${cursor}A`, cursor.slice(1), "é", "A".repeat(1_024)]) {
      await expectRefused(await callWith(junk));
    }
  });

  it("O6 of another list, order, filter or project are 400", async () => {
    await expectRefused(await callWith(cursor, "/v1/environments"));
    await expectRefused(await callWith(cursor, `${LIST}?order=asc`));
    const other = await world.project();
    await expectRefused(await other.api.get(`${LIST}?cursor=${cursor}`));
    const filtered = (await project.api.get(`${LIST}?status=active&limit=1`)).body.next_cursor;
    await expectRefused(await callWith(filtered));
    await expectRefused(await callWith(filtered, `${LIST}?status=revoked`));
    expect((await callWith(filtered, `${LIST}?status=active`)).status).toBe(200);
  });

  it("O6 of another service are 400; those of another instance of this one work", async () => {
    const call = ({ url }: Instance) =>
      fetch(`${url}${LIST}?cursor=${cursor}`, { headers: { authorization: `Bearer ${project.key}` } });
    expect((await call(await world.anotherInstance())).status).toBe(200);
    const otherInstance = await world.anotherInstance({ jwt_signing_keys: ["another-signing-key-0123456789-abcdef"] });
    expect((await call(otherInstance)).status).toBe(400);
  });

  it("O6 work with another page size, and with the project named differently", async () => {
    const rest = await callWith(cursor, `${LIST}?limit=3&order=desc&project_id=${project.slug}`);
    expect([rest.status, rest.body.data.length]).toEqual([200, 3]);
  });
});

describe("every list", () => {
  it.each(lists.map(({ path }) => path))("O6 %s accepts 1 to its maximum and no cursor but its own", async (path) => {
    const filled = await fill(path);
    const call = (query: string) => world.admin.get(`${filled}?${withProject(path)}${query}`);
    const one = await call("limit=1");
    expect(one.status).toBe(200);
    expect(Object.keys(one.body).toSorted()).toEqual(["$schema", "data", "has_more", "next_cursor"]);
    const tooMany = path.endsWith("/trace") ? "501" : "101";
    for (const limit of path === LIST ? ["0", "101", "-1", "1000000", "9007199254740993"] : ["0", tooMany]) {
      const refused = await call(`limit=${limit}`);
      expect([refused.status, refused.body.errors[0].location]).toEqual([422, "query.limit"]);
    }
    expect((await call("cursor=x")).body.code).toBe("invalid_cursor");
    expect((await call("order=random")).status).toBe(422);
  });

  it("O6 includes at least three", () => {
    expect(lists.length).toBeGreaterThanOrEqual(3);
  });

  async function fill(path: string): Promise<string> {
    const route = lists.find((list) => list.path === path);
    const ids = route ? await idsIn(world.connection, project, route) : {};
    return path.replaceAll(/\{(\w+)\}/g, (_, param: string) => ids[param] ?? "");
  }

  function withProject(path: string): string {
    const route = lists.find((list) => list.path === path);
    return route?.auth.kind === "project" ? `project_id=${project.id}&` : "";
  }
});

// Last, since it adds rows to the project.
describe("rows inserted while a list is read", () => {
  it.each(["asc", "desc"])("O6 neither hide nor repeat a row, %s", async (order) => {
    const before = idsOf(await readAll(`limit=100&order=${order}`));
    let rounds = 0;
    const shown = idsOf(
      await readAll(`limit=9&order=${order}`, async () => {
        if (rounds++ > 15) return;
        await insertKeys(2);
        await insertKeys(1, "clock() - interval '1 hour'");
        await insertKeys(1, "clock() + interval '1 hour'");
      }),
    );
    expect(new Set(shown).size).toBe(shown.length);
    const known = new Set(before);
    expect(shown.filter((id) => known.has(id))).toEqual(before);
    expect(rounds).toBeGreaterThan(13);
  });
});
