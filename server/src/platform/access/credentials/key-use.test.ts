import { beforeAll, describe, expect, it } from "vitest";
import { runSql } from "../../../../test/world/database.ts";
import { untilUp } from "../../../../test/world/until-up.ts";
import { type Instance, makeWorld, type TestProject, type World } from "../../../../test/world/world.ts";
import { newId } from "../../ids.ts";
import { flushKeyUses, recordKeyUse } from "./key-use.ts";

let world: World;
let other: Instance;
beforeAll(async () => {
  world = await makeWorld();
  other = await world.anotherInstance();
  await untilUp([world, other]);
});

const lastUsed = async ({ id }: TestProject, key_id: string) =>
  (await world.admin.get(`/v1/api-keys/${key_id}?project_id=${id}`)).body.last_used_at;

describe("when a key was last used", () => {
  it("is written after the request, not during it", async () => {
    const project = await world.project();
    await world.clock.set("2030-01-01T00:00:00.000Z");
    await project.api.get("/v1/me");
    expect(await lastUsed(project, project.key_id)).toBe(null);
    await flushKeyUses(world.ctx);
    expect(await lastUsed(project, project.key_id)).toMatch(/^2030-01-01T00:00:0\d/);
  });

  it("counts sessions and tokens of the key, but no refused use", async () => {
    const project = await world.project();
    const [signedIn, tokened, revoked] = [await project.newKey(), await project.newKey(), await project.newKey()];
    const token = await tokened.api.post("/v1/tokens", { scopes: ["runs:read"], tags: { of: "nobody" } });
    const session = await world.admin.post("/v1/session", { api_key: signedIn.key });
    await project.api.delete(`/v1/api-keys/${revoked.id}`);
    await flushKeyUses(world.ctx);
    const before = await lastUsed(project, project.key_id);
    await world.clock.pass("30m");
    const cookie = session.headers.get("set-cookie")?.split(";")[0] ?? "";
    expect((await world.anonymous.get("/v1/me", { headers: { cookie } })).status).toBe(200);
    expect((await world.as(token.body.token).get("/v1/runs")).status).toBe(200);
    expect((await revoked.api.get("/v1/me")).status).toBe(401);
    await flushKeyUses(world.ctx);
    for (const { id } of [signedIn, tokened]) expect((await lastUsed(project, id)) > before).toBe(true);
    expect(await lastUsed(project, revoked.id)).toBe(null);
  });

  it("never moves back, whichever instance writes last, and never into the future", async () => {
    const project = await world.project();
    const use = { project_id: project.id, key_id: project.key_id };
    const at = (ctx: Instance["ctx"], ms: number) => ({ ...ctx, watch: { ...ctx.watch, nowMs: () => ms } });
    const now = world.ctx.watch.nowMs();
    recordKeyUse(at(other.ctx, now - 60_000), use);
    recordKeyUse(at(world.ctx, now - 10_000), use);
    await flushKeyUses(world.ctx);
    const newest = await lastUsed(project, project.key_id);
    await flushKeyUses(other.ctx);
    expect(await lastUsed(project, project.key_id)).toBe(newest);
    recordKeyUse(at(world.ctx, now + 3_600_000), use);
    await flushKeyUses(world.ctx);
    expect(Date.parse(await lastUsed(project, project.key_id))).toBeLessThan(now + 600_000);
  });

  it("is written in batches by two instances at once, without a deadlock", async () => {
    const project = await world.project();
    await runSql(
      world.connection,
      `insert into api_keys (project_id, id, name, key_prefix, rotated_at, created_by, created_at, updated_at)
       select $1, gen_random_uuid(), 'many', 'svc_', clock(), 'seed', clock(), clock() from generate_series(1, 1200)`,
      [project.id],
    );
    const keys = await runSql<{ id: string }>(
      world.connection,
      "select id from api_keys where project_id = $1 and name = 'many' order by random()",
      [project.id],
    );
    for (const { id } of keys) recordKeyUse(world.ctx, { project_id: project.id, key_id: id });
    for (const { id } of keys.toReversed()) recordKeyUse(other.ctx, { project_id: project.id, key_id: id });
    await Promise.all([flushKeyUses(world.ctx), flushKeyUses(other.ctx)]);
    const [row] = await runSql<{ count: number }>(
      world.connection,
      "select count(last_used_at)::int as count from api_keys where project_id = $1 and name = 'many'",
      [project.id],
    );
    expect(row?.count).toBe(1_200);
  });

  it("is kept for the next write when a write fails, unless a newer use was recorded", async () => {
    const project = await world.project();
    const use = { project_id: project.id, key_id: project.key_id };
    recordKeyUse(world.ctx, use);
    const broken = { ...world.ctx, db: undefined as never };
    await flushKeyUses(broken);
    expect(await lastUsed(project, project.key_id)).toBe(null);
    await flushKeyUses(world.ctx);
    expect(await lastUsed(project, project.key_id)).not.toBe(null);
  });

  it("is written on shutdown, and a deleted key does no harm", async () => {
    const project = await world.project();
    const short = await world.anotherInstance();
    await untilUp([world, short]);
    recordKeyUse(short.ctx, { project_id: project.id, key_id: project.key_id });
    recordKeyUse(short.ctx, { project_id: project.id, key_id: newId() });
    await short.service.app.close();
    expect(await lastUsed(project, project.key_id)).not.toBe(null);
  });
});
