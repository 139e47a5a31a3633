import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { captureStatements } from "../../../../test/statements/sent-statements.ts";
import { runSql } from "../../../../test/world/database.ts";
import { makeWorld, type World } from "../../../../test/world/world.ts";
import { openKeyCache } from "./key-cache.ts";
import { hashKey, newKey } from "./key-format.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

describe("the key cache", () => {
  it("reads a key once for a burst of requests", async () => {
    const { key, key_id } = await world.project();
    const cache = openKeyCache();
    const hash = hashKey(key);
    const reads = Array.from({ length: 100 }, () => cache.find(world.ctx.db, hash));
    expect(new Set(reads).size).toBe(1);
    expect((await reads[0])?.key_id).toBe(key_id);
  });

  it("reads the keys of concurrent requests together, and tells each its own", async () => {
    const projects = [await world.project(), await world.project(), await world.project()];
    const hashes = [...projects.map(({ key }) => hashKey(key)), hashKey(newKey())];
    const cache = openKeyCache();
    let statements = 0;
    const capture = captureStatements((text) => {
      if (text.includes("api_key_secrets")) statements++;
    });
    const found = await Promise.all(hashes.map((hash) => cache.find(world.ctx.db, hash)));
    capture.stop();
    expect(found.map((key) => key?.key_id)).toEqual([...projects.map(({ key_id }) => key_id), undefined]);
    expect(statements).toBe(1);
  });

  it("reads again after a change, including a read that was in flight when the change came", async () => {
    const { key } = await world.project();
    const cache = openKeyCache();
    const before = cache.find(world.ctx.db, hashKey(key));
    cache.clear();
    const after = cache.find(world.ctx.db, hashKey(key));
    expect(after).not.toBe(before);
    expect(await Promise.all([before, after])).toEqual([expect.anything(), expect.anything()]);
  });

  it("keeps an entry for one second", async () => {
    const { key, key_id } = await world.project();
    const cache = openKeyCache();
    const revoked = async () => (await cache.find(world.ctx.db, hashKey(key)))?.revoked;
    const clock = vi.spyOn(performance, "now").mockReturnValue(performance.now());
    onTestFinished(() => void clock.mockRestore());
    const start = performance.now();
    expect(await revoked()).toBe(false);
    await runSql(world.connection, "update api_keys set revoked_at = clock() where id = $1", [key_id]);
    clock.mockReturnValue(start + 999);
    expect(await revoked()).toBe(false);
    clock.mockReturnValue(start + 1_000);
    expect(await revoked()).toBe(true);
  });

  it("does not cache a failed read", async () => {
    const { key, key_id } = await world.project();
    const cache = openKeyCache();
    await runSql(world.connection, "alter table api_key_secrets rename to elsewhere");
    await expect(cache.find(world.ctx.db, hashKey(key))).rejects.toThrow();
    await runSql(world.connection, "alter table elsewhere rename to api_key_secrets");
    expect((await cache.find(world.ctx.db, hashKey(key)))?.key_id).toBe(key_id);
    expect(await cache.find(world.ctx.db, hashKey(newKey()))).toBeUndefined();
  });
});
