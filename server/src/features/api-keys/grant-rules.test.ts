import { beforeAll, describe, expect, it } from "vitest";
import { makeWorld, type World } from "../../../test/world/world.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

const GRANTING = ["api-keys:read", "api-keys:write", "jobs:read"];

describe("the permissions a key can grant", () => {
  it("A11 are the scopes it holds, and no others", async () => {
    const { newKey } = await world.project();
    const { api } = await newKey({ scopes: GRANTING });
    expect((await api.post("/v1/api-keys", { name: "less", scopes: ["jobs:read"] })).status).toBe(201);
    for (const [scopes, beyond] of [
      [["jobs:read", "jobs:write"], ["jobs:write"]],
      [["*"], ["*"]],
      [
        ["events:send", "runs:read"],
        ["events:send", "runs:read"],
      ],
    ]) {
      const response = await api.post("/v1/api-keys", { name: "more", scopes });
      expect([response.status, response.body.code]).toEqual([403, "grant_too_wide"]);
      expect(response.body.errors.map((each: { value: string }) => each.value)).toEqual(beyond);
    }
  });

  it("A11 default to the caller's own scopes for missing or null scopes", async () => {
    const { api, newKey } = await world.project();
    const narrow = await newKey({ scopes: GRANTING });
    for (const body of [{ name: "same" }, { name: "same", scopes: null }]) {
      expect((await narrow.api.post("/v1/api-keys", body)).body.scopes).toEqual(GRANTING);
    }
    const star = await newKey({ scopes: ["*"] });
    expect((await star.api.post("/v1/api-keys", { name: "star" })).body.scopes).toEqual(["*"]);
    expect((await api.post("/v1/api-keys", { name: "all" })).body.scopes).toBeNull();
  });

  it("A10 exclude rotating a key with more permissions, whose secret the caller would learn", async () => {
    const { key, newKey, key_id } = await world.project();
    const { api } = await newKey({ scopes: GRANTING });
    const response = await api.post(`/v1/api-keys/${key_id}/rotate`);
    expect([response.status, response.body.code]).toEqual([403, "grant_too_wide"]);
    expect((await world.as(key).get("/v1/me")).status).toBe(200);
    const equal = await newKey({ scopes: ["jobs:read"] });
    expect((await api.post(`/v1/api-keys/${equal.id}/rotate`)).status).toBe(200);
  });

  it("A2 include only its own environment, which is the default", async () => {
    const { api, newKey } = await world.project();
    const [one, two] = (await api.get("/v1/environments")).body.data;
    const bound = await newKey({ environment_id: one.id });
    const child = await bound.api.post("/v1/api-keys", { name: "child" });
    expect([child.status, child.body.environment_id]).toEqual([201, one.id]);
    const other = await bound.api.post("/v1/api-keys", { name: "other", environment_id: two.id });
    expect([other.status, other.body.code]).toEqual([403, "grant_too_wide"]);
  });

  it("include the org only if it holds it, and only the org of its project", async () => {
    const { api, newKey, id } = await world.project({ org_id: "grants" });
    const plain = await api.post("/v1/api-keys", { name: "wide", org_id: "grants" });
    expect([plain.status, plain.body.code]).toEqual([403, "grant_too_wide"]);
    const orgKey = await newKey({ org_id: "grants" });
    expect((await orgKey.api.post("/v1/api-keys", { name: "wide", org_id: "grants" })).body.org_id).toBe("grants");
    const foreign = await world.admin.post("/v1/api-keys", { name: "x", project_id: id, org_id: "others" });
    expect([foreign.status, foreign.body.errors[0].location]).toEqual([422, "body.org_id"]);
    const rotated = await api.post(`/v1/api-keys/${orgKey.id}/rotate`);
    expect([rotated.status, rotated.body.code]).toEqual([403, "grant_too_wide"]);
  });

  it("A11 are none without api-keys:write", async () => {
    const { newKey, key_id } = await world.project();
    const { api } = await newKey({ scopes: ["api-keys:read"] });
    for (const response of [
      await api.post("/v1/api-keys", { name: "x" }),
      await api.post(`/v1/api-keys/${key_id}/rotate`),
      await api.delete(`/v1/api-keys/${key_id}`),
    ]) {
      expect([response.status, response.body.code]).toEqual([403, "scope_missing"]);
    }
    expect((await api.get(`/v1/api-keys/${key_id}`)).status).toBe(200);
  });
});
