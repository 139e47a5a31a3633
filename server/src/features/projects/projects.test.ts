import { beforeAll, describe, expect, it } from "vitest";
import { makeWorld, type World } from "../../../test/world.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

describe("POST /v1/projects", () => {
  it("P1 creates a project with its standard environments", async () => {
    const created = await world.admin.post("/v1/projects", { name: "Été à la plage" });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({ name: "Été à la plage", slug: "ete-a-la-plage", org_id: null });
    expect(created.body.webhook_secret).toMatch(/^whsec_/);
    const environments = await world.admin.get(`/v1/environments?project_id=${created.body.id}&order=asc`);
    expect(environments.body.data.map((each: { slug: string }) => each.slug)).toEqual([
      "production",
      "staging",
      "development",
    ]);
  });
});
