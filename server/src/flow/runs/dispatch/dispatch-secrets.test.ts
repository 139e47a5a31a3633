import { beforeAll, describe, expect, it } from "vitest";
import { makeWorld, type World } from "../../../../test/world/world.ts";
import { newId } from "../../../platform/ids.ts";
import { findSecrets } from "./dispatch-secrets.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

/** A project, how to read what its dispatches in production need, and how often that decrypted something. */
async function makeProject() {
  const project = await world.project();
  const { body: environment } = await project.api.get("/v1/environments/production");
  let decrypted = 0;
  const { encryption } = world.ctx;
  const decryptText: typeof encryption.decryptText = (...given) => {
    decrypted++;
    return encryption.decryptText(...given);
  };
  const ctx = { ...world.ctx, encryption: { ...encryption, decryptText } };
  const read = async (environment_id = environment.id) => {
    decrypted = 0;
    return { ...(await findSecrets(ctx, { project_id: project.id, environment_id })), decrypted };
  };
  return { project, read };
}

describe("what a dispatch needs of its project and environment", () => {
  it("is decrypted again only after a change of the variables or the secrets", async () => {
    const { project, read } = await makeProject();
    const signing = [project.webhook_secret];
    expect(await read()).toEqual({ signing, variables: "{}", decrypted: 2 });
    expect(await read()).toEqual({ signing, variables: "{}", decrypted: 0 });
    await project.api.patch("/v1/environments/production", { variables: { A: "1" } });
    expect(await read()).toEqual({ signing, variables: '{"A":"1"}', decrypted: 2 });
    const rotate = `/v1/projects/${project.id}/webhook-secret/rotate`;
    const { body } = await project.api.post(rotate, { grace_period_minutes: 1 });
    expect(await read()).toMatchObject({ signing: [body.webhook_secret, project.webhook_secret], decrypted: 3 });
    expect(await read()).toMatchObject({ signing: [body.webhook_secret, project.webhook_secret], decrypted: 0 });
    await world.clock.pass("1m");
    expect(await read()).toMatchObject({ signing: [body.webhook_secret], decrypted: 2 });
  });

  it("has the variables of the parents, which its own replace", async () => {
    const { project, read } = await makeProject();
    await project.api.patch("/v1/environments/production", { variables: { A: "1", B: "2" } });
    const child = { name: "Child", slug: "child", parent_id: "production", variables: { B: "3" } };
    const { body } = await project.api.post("/v1/environments", child);
    expect(await read(body.id)).toMatchObject({ variables: '{"A":"1","B":"3"}' });
    await project.api.patch("/v1/environments/production", { variables: { A: "4" } });
    expect(await read(body.id)).toMatchObject({ variables: '{"A":"4","B":"3"}' });
  });

  it("has no variables without an environment, and no secrets of another project", async () => {
    const { project, read } = await makeProject();
    const other = await makeProject();
    await other.project.api.patch("/v1/environments/production", { variables: { A: "1" } });
    const { body: foreign } = await other.project.api.get("/v1/environments/production");
    for (const id of [newId(), foreign.id])
      expect(await read(id)).toMatchObject({ signing: [project.webhook_secret], variables: "{}" });
  });
});
