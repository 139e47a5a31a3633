import { beforeAll, describe, expect, it } from "vitest";
import { runSql } from "../../../test/world/database.ts";
import { sizeOf } from "../../../test/world/size.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

/** Environments `e1 … en`, each the child of the one before. */
async function chain(project: TestProject, length: number): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < length) ids.push(await environment(project, `e${ids.length + 1}`, ids.at(-1) ?? null));
  return ids;
}

async function environment({ api }: TestProject, slug: string, parent_id: string | null = null, variables = {}) {
  const response = await api.post("/v1/environments", { name: slug, slug, parent_id, variables });
  if (response.status !== 201) throw new Error(response.text);
  return response.body.id as string;
}

const reparent = ({ api }: TestProject, id: string, parent_id: string | null) =>
  api.patch(`/v1/environments/${id}`, { parent_id });

describe("variables inherited from parents", () => {
  it("P2 resolve to the nearest of three levels, name by name", async () => {
    const project = await world.project();
    const top = await environment(project, "top", null, { A: "top", B: "top", C: "top" });
    const middle = await environment(project, "middle", top, { B: "middle", C: "middle" });
    const low = await environment(project, "low", middle, { C: "low" });
    const { body } = await project.api.get(`/v1/environments/${low}`);
    expect(body.variables).toEqual({ C: "low" });
    expect(body.resolved_variables).toEqual({ A: "top", B: "middle", C: "low" });
    await project.api.patch(`/v1/environments/${top}`, { variables: { A: "changed" } });
    expect((await project.api.get("/v1/environments/low")).body.resolved_variables).toEqual({
      A: "changed",
      B: "middle",
      C: "low",
    });
    await reparent(project, middle, null);
    expect((await project.api.get("/v1/environments/low")).body.resolved_variables).toEqual({ B: "middle", C: "low" });
  });
});

describe("cycles of parents", () => {
  it.each([1, 2, 9])("P2 are rejected for a chain of %s, and the error names the path", async (length) => {
    const project = await world.project();
    const ids = await chain(project, length);
    const response = await reparent(project, ids[0] as string, ids.at(-1) as string);
    expect([response.status, response.body.code]).toEqual([422, "environment_cycle"]);
    const path = ids
      .map((_, index) => `e${index + 1}`)
      .toReversed()
      .join(" → ");
    expect(response.body.errors).toEqual([
      { location: "body.parent_id", message: expect.stringContaining(`(${path})`), value: ids.at(-1) },
    ]);
  });

  it("are never created when two environments swap places concurrently: one request is rejected", async () => {
    const project = await world.project();
    const [a, b] = [await environment(project, "a"), await environment(project, "b")];
    for (let round = 0; round < sizeOf(5, 50); round++) {
      const responses = await Promise.all([reparent(project, a, b), reparent(project, b, a)]);
      expect(responses.map((response) => response.status).sort()).toEqual([200, 422]);
      await Promise.all([reparent(project, a, null), reparent(project, b, null)]);
    }
  });

  it("are never created when a ring of five is closed by concurrent requests", async () => {
    const project = await world.project();
    const ids = await Promise.all(["a", "b", "c", "d", "e"].map((slug) => environment(project, slug)));
    const responses = await Promise.all(ids.map((id, index) => reparent(project, id, ids[(index + 1) % 5] as string)));
    expect(responses.map((response) => response.status).sort()).toEqual([200, 200, 200, 200, 422]);
  });
});

describe("the depth of parents", () => {
  it("is at most ten levels, for a new environment at the end", async () => {
    const project = await world.project();
    const ids = await chain(project, 10);
    const response = await project.api.post("/v1/environments", { name: "e11", parent_id: ids.at(-1) });
    expect([response.status, response.body.code]).toEqual([422, "environment_cycle"]);
  });

  it("counts the descendants of an environment that is moved", async () => {
    const project = await world.project();
    const ids = await chain(project, 9);
    const [top, above] = [await environment(project, "top"), await environment(project, "above")];
    expect((await reparent(project, ids[0] as string, top)).status).toBe(200);
    const response = await reparent(project, top, above);
    expect([response.status, response.body.code]).toEqual([422, "environment_cycle"]);
    const [longest] = await runSql<{ levels: number }>(
      world.connection,
      `with recursive line as (
         select id, 1 as levels from environments where project_id = $1 and parent_id is null
         union all select e.id, levels + 1 from line join environments e on e.project_id = $1 and e.parent_id = line.id)
       select max(levels) as levels from line`,
      [project.id],
    );
    expect(longest?.levels).toBe(10);
  });
});

describe("a parent that is deleted meanwhile", () => {
  it("rejects the child or is itself rejected, never with a 500", async () => {
    const project = await world.project();
    const mover = await environment(project, "mover");
    for (let round = 0; round < sizeOf(6, 20); round++) {
      const parent = await environment(project, `parent-${round}`);
      const [created, moved, deleted] = await Promise.all([
        project.api.post("/v1/environments", { name: "child", slug: `child-${round}`, parent_id: parent }),
        reparent(project, mover, parent),
        project.api.delete(`/v1/environments/${parent}`),
      ]);
      expect([201, 422]).toContain(created.status);
      expect([200, 422]).toContain(moved.status);
      const hasChild = created.status === 201 || moved.status === 200;
      expect([deleted.status, hasChild]).toEqual(hasChild ? [409, true] : [204, false]);
    }
  });
});
