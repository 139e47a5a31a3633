import { beforeAll, describe, expect, it } from "vitest";
import { makeClient } from "../../../test/world/client.ts";
import { runSql } from "../../../test/world/database.ts";
import { atTime, later } from "../../../test/world/later.ts";
import { until } from "../../../test/world/until.ts";
import { untilUp } from "../../../test/world/until-up.ts";
import { type Instance, makeWorld, type World } from "../../../test/world/world.ts";

let world: World;
let other: Instance;
beforeAll(async () => {
  world = await makeWorld();
  other = await world.anotherInstance();
  await untilUp([world, other]);
});

const me = async (key: string, { url }: { url: string } = world) => {
  const { status, body } = await makeClient(url, { authorization: `Bearer ${key}` }).get("/v1/me");
  return status === 200 ? 200 : `${status} ${body.code}`;
};

describe("DELETE /v1/api-keys/{keyID}", () => {
  it("A11 takes effect at once on the instance that served it, and within a second on others", async () => {
    const { api, newKey } = await world.project();
    const { id, key } = await newKey();
    expect([await me(key), await me(key, other)]).toEqual([200, 200]);
    expect((await api.delete(`/v1/api-keys/${id}`)).status).toBe(204);
    expect(await me(key)).toBe("401 key_revoked");
    expect(await later(1_000, () => me(key, other))).toBe("401 key_revoked");
  });

  it("A11 rejects every request after the revocation in a continuous stream of them", async () => {
    const { api, newKey } = await world.project();
    const { id, key } = await newKey();
    const outcomes: unknown[] = [];
    let revoked = false;
    const user = async () => {
      while (!revoked) outcomes.push(await me(key));
    };
    const users = Promise.all(Array.from({ length: 8 }, user));
    await until("twenty uses", 20_000, () => outcomes.length > 20);
    await api.delete(`/v1/api-keys/${id}`);
    revoked = true;
    expect(await Promise.all(Array.from({ length: 8 }, () => me(key)))).toEqual(Array(8).fill("401 key_revoked"));
    await users;
    expect(outcomes.filter((each) => each !== 200 && each !== "401 key_revoked")).toEqual([]);
  });

  it("A11 403 for a key with permissions the caller does not hold", async () => {
    const { key_id, newKey } = await world.project();
    const [narrow, alike] = [
      await newKey({ scopes: ["api-keys:write"] }),
      await newKey({ scopes: ["api-keys:write"] }),
    ];
    const wider = await narrow.api.delete(`/v1/api-keys/${key_id}`);
    expect([wider.status, wider.body.code]).toEqual([403, "grant_too_wide"]);
    expect((await narrow.api.delete(`/v1/api-keys/${alike.id}`)).status).toBe(204);
    expect((await narrow.api.delete(`/v1/api-keys/${narrow.id}`)).status).toBe(204);
  });

  it("shows in the key's status; a second revocation changes nothing and records no second event", async () => {
    const { api, newKey, key_id } = await world.project();
    const { id } = await newKey({ name: "Ended" });
    await api.delete(`/v1/api-keys/${id}`);
    const { body } = await api.get(`/v1/api-keys/${id}`);
    expect([body.status, typeof body.revoked_at]).toEqual(["revoked", "string"]);
    expect((await api.delete(`/v1/api-keys/${id}`)).status).toBe(204);
    expect((await api.get(`/v1/api-keys/${id}`)).body).toEqual(body);
    const events = await runSql(
      world.connection,
      "select actor_id, before from audit_events where resource_id = $1 and action = 'api_key.revoked'",
      [id],
    );
    expect(events).toEqual([
      { actor_id: key_id, before: expect.objectContaining({ name: "Ended", revoked_at: null }) },
    ]);
  });

  it("404 for a key of another project", async () => {
    const [mine, theirs] = [await world.project(), await world.project()];
    expect((await mine.api.delete(`/v1/api-keys/${theirs.key_id}`)).status).toBe(404);
    expect(await me(theirs.key)).toBe(200);
  });
});

describe("an expired or invalid key", () => {
  it("A11 401 key_expired from its expiry on, on every instance", async () => {
    const { newKey } = await world.project();
    await world.clock.set("2030-01-01T00:00:00.000Z");
    const { key, id } = await newKey({ expires_in_days: 1 });
    await atTime(performance.now(), async () => {
      await world.clock.set("2030-01-01T23:59:59.000Z");
      expect([await me(key), await me(key, other)]).toEqual([200, 200]);
    });
    await world.clock.set("2030-01-02T00:00:00.000Z");
    expect([await me(key), await me(key, other)]).toEqual(["401 key_expired", "401 key_expired"]);
    expect((await world.admin.get(`/v1/api-keys/${id}`)).body.status).toBe("expired");
  });

  it("A11 401 names the reason: missing, malformed, unknown", async () => {
    const { key } = await world.project();
    const last = key.at(-1) === "0" ? "1" : "0";
    expect(await me(`${key.slice(0, -1)}${last}`)).toBe("401 unauthorized");
    const unknown = await world.as("svc_0000000000000000000000000000000000000000").get("/v1/me");
    expect([unknown.status, unknown.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
    expect((await world.anonymous.get("/v1/me")).body.code).toBe("unauthorized");
  });
});
