import { beforeAll, describe, expect, it } from "vitest";
import { makeWorld, type World } from "../../../test/world/world.ts";
import { readSigningSecrets } from "./signing-secrets.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

describe("a project's signing secrets", () => {
  it("are read once by concurrent callers, and again by later ones", async () => {
    const [project, other] = [await world.project(), await world.project()];
    const reading = readSigningSecrets(world.ctx, project.id);
    expect(readSigningSecrets(world.ctx, project.id)).toBe(reading);
    expect(await readSigningSecrets(world.ctx, other.id)).toEqual([other.webhook_secret]);
    expect(await reading).toEqual([project.webhook_secret]);
    const rotate = `/v1/projects/${project.id}/webhook-secret/rotate`;
    const { body } = await project.api.post(rotate, { grace_period_minutes: 1 });
    expect(await readSigningSecrets(world.ctx, project.id)).toEqual([body.webhook_secret, project.webhook_secret]);
    await world.clock.pass("1m");
    expect(await readSigningSecrets(world.ctx, project.id)).toEqual([body.webhook_secret]);
  });

  it("are read again after a failed read", async () => {
    const project = await world.project();
    const broken = {
      ...world.ctx,
      encryption: { ...world.ctx.encryption, decryptText: () => Promise.reject(new Error("no key")) },
    };
    await expect(readSigningSecrets(broken, project.id)).rejects.toThrow("no key");
    expect(await readSigningSecrets(world.ctx, project.id)).toEqual([project.webhook_secret]);
  });
});
