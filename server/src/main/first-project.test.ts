import { beforeEach, describe, expect, it } from "vitest";
import { runSql } from "../../test/world/database.ts";
import { makeWorld, type World } from "../../test/world/world.ts";
import { newKey } from "../platform/access/credentials/key-format.ts";
import { newSigningSecret } from "../platform/secrets/sign.ts";
import { readSigningSecrets } from "../platform/secrets/signing-secrets.ts";
import { createFirstProject } from "./first-project.ts";

const first_project = { api_key: newKey(), signing_secret: newSigningSecret() };

let world: World;
beforeEach(async () => {
  world = await makeWorld({ config: { first_project } });
});

const projects = () => runSql(world.connection, "select slug from projects order by slug");

describe("the first project of a production service", () => {
  it("is created once, with the key, its limits and the signing secret of the settings", async () => {
    const other = await world.anotherInstance();
    await Promise.all([createFirstProject(world.ctx), createFirstProject(other.ctx)]);
    await createFirstProject(world.ctx);
    expect(await projects()).toEqual([{ slug: "main" }]);
    const { body } = await world.as(first_project.api_key).get("/v1/api-keys");
    const limits = { requests_per_minute: 120_000, triggers_per_minute: 120_000, bulk_per_minute: 120_000 };
    expect(body.data).toMatchObject([{ name: "First key", scopes: null, rate_limits: limits }]);
    expect(await readSigningSecrets(world.ctx, body.data[0].project_id)).toEqual([first_project.signing_secret]);
  });

  it("gets its key at the next start if the first one was interrupted", async () => {
    await world.admin.post("/v1/projects", { name: "Main", slug: "main" });
    await createFirstProject(world.ctx);
    expect((await world.as(first_project.api_key).get("/v1/me")).status).toBe(200);
  });

  it("is not created next to another project, nor without the settings", async () => {
    await world.project();
    await createFirstProject(world.ctx);
    expect((await world.as(first_project.api_key).get("/v1/me")).status).toBe(401);
    const plain = await makeWorld();
    await createFirstProject(plain.ctx);
    expect(await runSql(plain.connection, "select slug from projects")).toEqual([]);
  });
});
