import { createHash, createHmac } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { makeWorld, type World } from "../../../../test/world/world.ts";
import type { Ctx } from "../../context.ts";
import { newId } from "../../ids.ts";
import { ltkOf, readRunToken, signRunToken } from "./run-token.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
  await world.clock.set("2030-01-01T00:00:00Z");
});

const run = {
  run_id: newId(),
  project_id: newId(),
  attempt: 3,
  lease_token: newId(),
  deadline: "2030-01-01T00:05:00.500Z",
};
const claims = { run_id: run.run_id, project_id: run.project_id, attempt: 3, ltk: ltkOf(run.lease_token) };
const decode = (part = "") => JSON.parse(Buffer.from(part, "base64url").toString());
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

function withKeys(...jwt_signing_keys: string[]): Ctx {
  return { ...world.ctx, config: { ...world.ctx.config, jwt_signing_keys } };
}

/** A token made manually, signed with the key this service derives. */
function forge(header: object, payload: object): string {
  const [secret] = world.ctx.config.jwt_signing_keys;
  const key = createHash("sha256").update(`millrace run token ${secret}`).digest();
  const signed = `${encode(header)}.${encode(payload)}`;
  return `${signed}.${createHmac("sha256", key).update(signed).digest("base64url")}`;
}

function codeOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return (error as { code: string }).code;
  }
  return "taken";
}

describe("a run token", () => {
  it("A4 is a JWT with the specified header and claims", () => {
    const [header, payload, signature] = signRunToken(world.ctx, run).split(".");
    expect(decode(header)).toEqual({ alg: "HS256", typ: "run+jwt" });
    expect(decode(payload)).toEqual({
      iss: "svc",
      aud: "svc:run",
      sub: run.run_id,
      att: 3,
      pid: run.project_id,
      ltk: createHash("sha256").update(run.lease_token).digest("hex").slice(0, 16),
      exp: Date.parse("2030-01-01T00:06:01Z") / 1_000,
    });
    expect(signature).toMatch(/^[\w-]{43}$/);
  });

  it("A4 reads back what was signed, and never holds the lease token itself", () => {
    const token = signRunToken(world.ctx, run);
    expect(readRunToken(world.ctx, token)).toEqual(claims);
    expect(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()).not.toContain(run.lease_token);
  });

  it("A4 the first key signs and all verify, while JWT_SIGNING_KEY rotates", () => {
    const old = signRunToken(withKeys("old"), run);
    expect(readRunToken(withKeys("new", "old"), old)).toEqual(claims);
    expect(codeOf(() => readRunToken(withKeys("old"), signRunToken(withKeys("new", "old"), run)))).toBe("unauthorized");
    expect(codeOf(() => readRunToken(withKeys("new"), old))).toBe("unauthorized");
  });

  it("A4 expires a minute after the deadline, by the database's clock", async () => {
    const token = signRunToken(world.ctx, run);
    await world.clock.set("2030-01-01T00:06:00Z");
    expect(readRunToken(world.ctx, token)).toEqual(claims);
    await world.clock.set("2030-01-01T00:06:01Z");
    expect(codeOf(() => readRunToken(world.ctx, token))).toBe("run_token_expired");
    await world.clock.set("2030-01-01T00:00:00Z");
  });

  it.each([
    ["alg none", { alg: "none", typ: "run+jwt" }],
    ["another algorithm", { alg: "HS512", typ: "run+jwt" }],
    ["typ JWT", { alg: "HS256", typ: "JWT" }],
    ["a key of its own", { alg: "HS256", typ: "run+jwt", jwk: {} }],
  ])("A4 is refused with %s in its header, though the signature is valid", (_, header) => {
    const payload = decode(signRunToken(world.ctx, run).split(".")[1]);
    expect(codeOf(() => readRunToken(world.ctx, forge(header, payload)))).toBe("unauthorized");
    expect(readRunToken(world.ctx, forge({ alg: "HS256", typ: "run+jwt" }, payload))).toEqual(claims);
  });

  it("A4 is refused when any character of it was changed", () => {
    const token = signRunToken(world.ctx, run);
    for (let at = 0; at < token.length; at++) {
      for (const other of "A_") {
        if (token[at] === other) continue;
        const changed = token.slice(0, at) + other + token.slice(at + 1);
        expect(
          codeOf(() => readRunToken(world.ctx, changed)),
          `${at}`,
        ).toBe("unauthorized");
      }
    }
  });

  it.each(["", ".", "..", "a.b.c"])("A4 %j is not a token", (token) => {
    expect(codeOf(() => readRunToken(world.ctx, token))).toBe("unauthorized");
  });

  it("A4 is refused without its signature, with a second one, or padded", () => {
    const token = signRunToken(world.ctx, run);
    const [header, payload] = token.split(".");
    for (const bad of [`${header}.${payload}.`, `${header}.${payload}`, `${token}.${token}`, `${token}=`]) {
      expect(codeOf(() => readRunToken(world.ctx, bad))).toBe("unauthorized");
    }
  });
});
