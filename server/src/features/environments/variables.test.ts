import { beforeAll, describe, expect, it } from "vitest";
import { runSql } from "../../../test/world/database.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

async function encryptedIn({ api }: TestProject, variables: Record<string, string>) {
  const { id } = (await api.post("/v1/environments", { name: "Encrypted", variables })).body;
  const [row] = await runSql<{ variables: Buffer }>(
    world.connection,
    "select variables from environments where id = $1",
    [id],
  );
  if (!row) throw new Error("no row");
  return { id, encrypted: row.variables };
}

const put = (id: string, encrypted: Buffer) =>
  runSql(world.connection, "update environments set variables = $2 where id = $1", [id, encrypted]);

describe("variables at rest", () => {
  it("P2 show neither names nor values in plain text, and equal ones differ", async () => {
    const project = await world.project();
    const [one, two] = [
      await encryptedIn(project, { SECRET: "plain" }),
      await encryptedIn(project, { SECRET: "plain" }),
    ];
    for (const { encrypted } of [one, two]) expect(encrypted.toString("latin1")).not.toMatch(/SECRET|plain/);
    expect(one.encrypted.equals(two.encrypted)).toBe(false);
  });

  it("cannot be moved to another row of the project", async () => {
    const project = await world.project();
    const [from, to] = [await encryptedIn(project, { A: "from" }), await encryptedIn(project, { A: "to" })];
    await put(to.id, from.encrypted);
    expect((await project.api.get(`/v1/environments/${to.id}`)).status).toBe(500);
    await put(to.id, to.encrypted);
    expect((await project.api.get(`/v1/environments/${to.id}`)).body.variables).toEqual({ A: "to" });
  });

  it("cannot be moved to another project", async () => {
    const [mine, other] = [await world.project(), await world.project()];
    const [from, to] = [await encryptedIn(other, { A: "other" }), await encryptedIn(mine, { A: "mine" })];
    await put(to.id, from.encrypted);
    const response = await mine.api.get(`/v1/environments/${to.id}`);
    expect([response.status, response.body.code]).toEqual([500, "internal_error"]);
    expect(response.text).not.toContain("other");
  });

  it("preserve every character", async () => {
    const { api } = await world.project();
    const variables = { QUOTES: `"'\\\n\t`, UNICODE: "🦊é\u2028", EMPTY: "", __proto__x: "own" };
    const { id } = (await api.post("/v1/environments", { name: "Text", variables })).body;
    expect((await api.get(`/v1/environments/${id}`)).body.resolved_variables).toEqual(variables);
  });
});
