import { SCOPES } from "@millrace/contract/access/scopes";
import { beforeAll, describe, expect, it } from "vitest";
import { INTERNAL_SECRET, makeWorld, type World } from "../../../test/world/world.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

describe("GET /v1/me", () => {
  it("A2 returns a key's project, its bounds and every scope it holds", async () => {
    const { id, newKey, api } = await world.project({ org_id: "me-org" });
    const environment_id = (await api.get("/v1/environments/staging")).body.id;
    const key = await newKey({
      name: "Narrow",
      environment_id,
      org_id: "me-org",
      scopes: ["jobs:read", "events:send"],
    });
    const response = await key.api.get("/v1/me");
    expect(response.status).toBe(200);
    expect(response.body).toEqual({
      $schema: `${world.url}/schemas/Me.json`,
      kind: "api_key",
      project_id: id,
      environment_id,
      org_id: "me-org",
      key_id: key.id,
      name: "Narrow",
      scopes: ["jobs:read", "events:send"],
      permissions: ["jobs:read", "events:send"],
      subject: null,
      memberships: [],
      session_expires_at: null,
    });
  });

  it("shows null scopes and * as every permission", async () => {
    const { api, newKey } = await world.project();
    const star = await newKey({ scopes: ["*"] });
    const [all, starred] = [await api.get("/v1/me"), await star.api.get("/v1/me")];
    expect([all.body.scopes, all.body.permissions]).toEqual([null, SCOPES]);
    expect([starred.body.scopes, starred.body.permissions]).toEqual([["*"], SCOPES]);
  });

  it("A1 accepts the internal secret in its header and as a bearer token, without a project", async () => {
    for (const headers of [
      { "x-internal-secret": INTERNAL_SECRET },
      { authorization: `Bearer ${INTERNAL_SECRET}` },
      { authorization: `bearer ${INTERNAL_SECRET}` },
    ]) {
      const response = await world.anonymous.get("/v1/me", { headers: headers as Record<string, string> });
      expect(response.body).toMatchObject({ kind: "internal_secret", project_id: null, key_id: null, scopes: null });
    }
  });

  it("A1 401 for a missing or wrong secret, even with a valid key", async () => {
    const { key } = await world.project();
    expect((await world.anonymous.get("/v1/me")).status).toBe(401);
    const wrong = { "x-internal-secret": `${INTERNAL_SECRET}x`, authorization: `Bearer ${key}` };
    expect((await world.anonymous.get("/v1/me", { headers: wrong })).status).toBe(401);
    expect((await world.as(`${INTERNAL_SECRET}x`).get("/v1/me")).status).toBe(401);
  });

  it("A1 accepts every value of INTERNAL_SECRET during a rotation", async () => {
    const next = "the-next-internal-secret-0123456789abcdef";
    const rotating = await world.anotherInstance({ internal_secrets: [next, INTERNAL_SECRET] });
    for (const secret of [next, INTERNAL_SECRET]) {
      expect((await rotating.anonymous.get("/v1/me", { headers: { "x-internal-secret": secret } })).status).toBe(200);
    }
    expect((await world.as(next).get("/v1/me")).status).toBe(401);
  });
});
