import { beforeAll, describe, expect, it } from "vitest";
import { makeWorld, type World } from "../../../../test/world/world.ts";
import { newId } from "../../ids.ts";
import { callbackUrl, readCallbackToken } from "./callback-token.ts";
import { signRunToken } from "./run-token.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

const subject = { project_id: newId(), trigger_id: newId() };
const tokenFor = (ctx = world.callerCtx()) => callbackUrl(ctx, subject).split("/").at(-1) as string;

describe("a callback address", () => {
  it("points to the address the service was requested at, and its token resolves to the trigger", () => {
    expect(callbackUrl(world.callerCtx(), subject)).toMatch(
      new RegExp(`^${world.url}/v1/events/callback/[A-Za-z0-9_-]{86}$`),
    );
    expect(readCallbackToken(world.ctx, tokenFor())).toEqual(subject);
  });

  it("is rejected when a character is changed, added or missing, or the encoding differs", () => {
    const token = tokenFor();
    for (let at = 0; at < token.length; at++) {
      const other = token[at] === "A" ? "B" : "A";
      expect(
        readCallbackToken(world.ctx, token.slice(0, at) + other + token.slice(at + 1)),
        `at ${at}`,
      ).toBeUndefined();
    }
    const others = ["", "send", token.slice(1), `${token}A`, `${token}=`, `${token} `, token.toUpperCase()];
    for (const other of others) expect(readCallbackToken(world.ctx, other)).toBeUndefined();
  });

  it("is rejected with another key, and stays valid while keys rotate", () => {
    const token = tokenFor();
    const withKeys = (...jwt_signing_keys: string[]) => ({
      ...world.ctx,
      config: { ...world.ctx.config, jwt_signing_keys },
    });
    const old = world.ctx.config.jwt_signing_keys[0] as string;
    expect(readCallbackToken(withKeys("another-key-of-the-tests-0123456789"), token)).toBeUndefined();
    expect(readCallbackToken(withKeys("another-key-of-the-tests-0123456789", old), token)).toEqual(subject);
  });

  it("is not accepted as a run token, nor is a run token as a callback token", () => {
    const run = {
      run_id: newId(),
      project_id: newId(),
      attempt: 1,
      lease_token: newId(),
      deadline: "2030-01-01T00:00:00Z",
    };
    expect(readCallbackToken(world.ctx, signRunToken(world.ctx, run))).toBeUndefined();
  });
});
