import { beforeAll, describe, expect, it } from "vitest";
import { moveDatabaseClock } from "../../../test/world/clock.ts";
import { runSql } from "../../../test/world/database.ts";
import { atTime } from "../../../test/world/later.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";
import { hashKey } from "../../platform/access/credentials/key-format.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

const rotate = ({ api }: Pick<TestProject, "api">, id: string, grace_period_minutes?: number) =>
  api.post(`/v1/api-keys/${id}/rotate`, grace_period_minutes === undefined ? undefined : { grace_period_minutes });

const me = async (key: string) => {
  const { status, body } = await world.as(key).get("/v1/me");
  return status === 200 ? 200 : `${status} ${body.code}`;
};

describe("POST /v1/api-keys/{keyID}/rotate", () => {
  it("A10 keeps the id and all other fields, and issues a new secret", async () => {
    const project = await world.project();
    const { id, key } = await project.newKey({ scopes: ["jobs:read"], rotation_interval_days: 30 });
    const before = (await project.api.get(`/v1/api-keys/${id}`)).body;
    const { status, body } = await rotate(project, id);
    expect(status).toBe(200);
    expect(body).toEqual({
      ...before,
      $schema: `${world.url}/schemas/RotatedApiKey.json`,
      key: expect.stringMatching(/^svc_/),
      key_prefix: body.key.slice(0, 12),
      rotated_at: expect.any(String),
      updated_at: body.rotated_at,
    });
    expect(body.key).not.toBe(key);
  });

  it("A10 without grace, rejects the old secret at once", async () => {
    const project = await world.project();
    const { id, key } = await project.newKey();
    expect(await me(key)).toBe(200);
    const { body } = await rotate(project, id);
    expect([await me(key), await me(body.key)]).toEqual(["401 key_expired", 200]);
    expect(body.previous_key_expires_at).toBeNull();
  });

  it("A10 without grace, rejects the old secret at once even where the instance's clock is behind", async () => {
    const project = await world.project();
    const { id, key } = await project.newKey();
    // Not through the test clock, which would notify the instances at once.
    await moveDatabaseClock(world.connection, new Date(Date.now() + 3_600_000).toISOString());
    const { body } = await rotate(project, id);
    expect([await me(key), await me(body.key)]).toEqual(["401 key_expired", 200]);
  });

  it("A10 during grace, accepts both secrets to the second, and never the old one afterwards", async () => {
    const project = await world.project();
    const { id, key } = await project.newKey();
    await world.clock.set("2030-05-01T10:00:00.000Z");
    const { body } = await rotate(project, id, 10);
    expect(body.previous_key_expires_at).toBe("2030-05-01T10:10:00.000Z");
    expect([await me(key), await me(body.key)]).toEqual([200, 200]);
    await atTime(performance.now(), async () => {
      await world.clock.set("2030-05-01T10:09:59.000Z");
      expect([await me(key), await me(body.key)]).toEqual([200, 200]);
    });
    await world.clock.set("2030-05-01T10:10:00.000Z");
    expect([await me(key), await me(body.key)]).toEqual(["401 key_expired", 200]);
    expect((await project.api.get(`/v1/api-keys/${id}`)).body.previous_key_expires_at).toBeNull();
    await world.clock.set("2031-05-01T10:10:00.000Z");
    expect(await me(key)).toBe("401 key_expired");
  });

  it("A10 ends a cached secret on time", async () => {
    const project = await world.project();
    const { id, key } = await project.newKey();
    await rotate(project, id, 1);
    expect(await me(key)).toBe(200);
    const known = await world.ctx.keyCache.find(world.ctx.db, hashKey(key));
    expect(known?.valid_until_ms).toBeGreaterThan(world.ctx.watch.nowMs());
    await world.clock.pass("1m");
    expect(await me(key)).toBe("401 key_expired");
  });

  it("A10 rotated twice, ends each older secret with the shorter of its grace periods", async () => {
    const project = await world.project();
    const { id, key: first } = await project.newKey();
    const second = (await rotate(project, id, 10)).body.key;
    const third = (await rotate(project, id, 60)).body.key;
    await world.clock.pass("11m");
    expect([await me(first), await me(second), await me(third)]).toEqual(["401 key_expired", 200, 200]);
    const fourth = (await rotate(project, id, 0)).body.key;
    expect([await me(second), await me(third), await me(fourth)]).toEqual(["401 key_expired", "401 key_expired", 200]);
  });

  it("A10 leaves one working secret after eight concurrent rotations: the last", async () => {
    const project = await world.project();
    const { id, key } = await project.newKey();
    for (let round = 0; round < 3; round++) {
      const responses = await Promise.all(Array.from({ length: 8 }, () => rotate(project, id)));
      expect(responses.map((response) => response.status)).toEqual(Array(8).fill(200));
      const outcomes = await Promise.all([key, ...responses.map((response) => response.body.key)].map(me));
      expect(outcomes.filter((outcome) => outcome === 200)).toHaveLength(1);
    }
  });

  it("A10 answers 100 requests during a rotation with 200 or 401, never with a server error", async () => {
    const project = await world.project();
    const { id, key } = await project.newKey();
    const uses = Array.from({ length: 100 }, async (_, index) => {
      if (index === 50) await rotate(project, id);
      return me(key);
    });
    const outcomes = await Promise.all(uses);
    expect(outcomes.filter((outcome) => outcome !== 200 && outcome !== "401 key_expired")).toEqual([]);
    expect(await me(key)).toBe("401 key_expired");
  });

  it.each([
    [-1, 422],
    [0, 200],
    [1, 200],
    [10_080, 200],
    [10_081, 422],
    [null, 422],
  ])("A10 grace_period_minutes %s is %s", async (grace_period_minutes, status) => {
    const project = await world.project();
    const response = await project.api.post(`/v1/api-keys/${project.key_id}/rotate`, { grace_period_minutes });
    expect(response.status).toBe(status);
  });

  it("is due when the interval has passed, until the key is rotated", async () => {
    const project = await world.project();
    const { id } = await project.newKey({ rotation_interval_days: 1 });
    const isDue = async () => (await project.api.get(`/v1/api-keys/${id}`)).body.rotation_due;
    await world.clock.pass("23h59m59s");
    expect(await isDue()).toBe(false);
    await world.clock.pass("1s");
    expect(await isDue()).toBe(true);
    await rotate(project, id);
    expect(await isDue()).toBe(false);
  });

  it("409 for a revoked key, 404 for a key of another project", async () => {
    const [project, other] = [await world.project(), await world.project()];
    const { id } = await project.newKey();
    await project.api.delete(`/v1/api-keys/${id}`);
    const response = await rotate(project, id);
    expect([response.status, response.body.code]).toEqual([409, "api_key_revoked"]);
    expect((await rotate(project, other.key_id)).status).toBe(404);
  });

  it("is audited with before and after, and no secret", async () => {
    const project = await world.project();
    const { id, key } = await project.newKey();
    const { body, headers } = await rotate(project, id, 5);
    const [event] = await runSql(
      world.connection,
      "select * from audit_events where resource_id = $1 and action = 'api_key.rotated'",
      [id],
    );
    expect(event).toMatchObject({
      actor_id: project.key_id,
      before: { key_prefix: key.slice(0, 12) },
      after: { key_prefix: body.key_prefix, previous_key_expires_at: body.previous_key_expires_at },
      ip: "127.0.0.1",
      request_id: headers.get("x-request-id"),
    });
    for (const secret of [key, body.key]) expect(JSON.stringify(event)).not.toContain(secret.slice(12));
  });
});
