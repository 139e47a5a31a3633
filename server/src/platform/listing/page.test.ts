import { beforeAll, describe, expect, it } from "vitest";
import { runSql } from "../../../test/world/database.ts";
import { makeWorld, type World } from "../../../test/world/world.ts";
import type { CallerCtx } from "../context.ts";
import { sql } from "../database/sql.ts";
import { newId } from "../ids.ts";
import { presentPage, readPage } from "./page.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
  await runSql(world.connection, "create table things (id uuid primary key, created_at timestamptz(3) not null)");
});

type Query = Parameters<typeof readPage>[2];
type Thing = { id: string; created_at: string };

async function list(query: Query, ctx: CallerCtx = world.callerCtx(), name = "things") {
  const page = readPage(ctx, name, query, "t");
  const { rows } = await sql<Thing>`
    select t.id, t.created_at from things t where true ${page.after} ${page.orderBy} limit ${page.limit + 1}`.execute(
    ctx.db,
  );
  return presentPage(ctx, page, rows);
}

/** Adds rows, ten at each of a few instants, so that the time alone does not sort them. */
async function add(count: number, from: string): Promise<void> {
  const ids = Array.from({ length: count }, newId);
  await runSql(
    world.connection,
    "insert into things select id, $2::timestamptz + (n / 10) * interval '1 ms' from unnest($1::uuid[]) with ordinality u(id, n)",
    [ids, from],
  );
}

describe("a page", () => {
  it.each(["asc", "desc"] as const)(
    "O6 shows every row once (%s), though rows are inserted meanwhile",
    async (order) => {
      await runSql(world.connection, "truncate things");
      await add(95, "2030-01-01T00:00:00.000Z");
      const there = (await runSql<Thing>(world.connection, "select id from things")).map(({ id }) => id);
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const page: Awaited<ReturnType<typeof list>> = await list({
          limit: 7,
          order,
          ...(cursor !== null && { cursor }),
        });
        expect(page.data.length).toBeLessThanOrEqual(7);
        expect(page.has_more).toBe(page.next_cursor !== null);
        seen.push(...page.data.map(({ id }) => id));
        await add(3, "2029-12-31T23:59:59.990Z");
        await add(3, "2030-01-01T00:00:00.004Z");
        cursor = seen.length < 200 ? page.next_cursor : null;
      } while (cursor !== null);
      expect(new Set(seen).size).toBe(seen.length);
      expect(there.filter((id) => !seen.includes(id))).toEqual([]);
    },
  );

  it("O6 has 50 rows by default, and shows exactly when the list ends", async () => {
    await runSql(world.connection, "truncate things");
    await add(50, "2030-01-01T00:00:00.000Z");
    expect(await list({})).toMatchObject({ data: { length: 50 }, has_more: false, next_cursor: null });
    expect(await list({ limit: 49 })).toMatchObject({ data: { length: 49 }, has_more: true });
  });

  it("O6 has a cursor that is valid only for the same list, project, order and filters", async () => {
    const ctx = world.callerCtx();
    const filters = { limit: 1, status: "a", tag: "b" };
    const { next_cursor } = await list(filters, ctx);
    const cursor = next_cursor ?? "";
    await expect(list({ tag: "b", status: "a", limit: 2, cursor } as Query, ctx)).resolves.toBeDefined();
    const refused = { code: "invalid_cursor" };
    await expect(list({ ...filters, cursor, status: "c" } as Query, ctx)).rejects.toMatchObject(refused);
    await expect(list({ limit: 1, status: "a", cursor } as Query, ctx)).rejects.toMatchObject(refused);
    await expect(list({ ...filters, cursor, order: "asc" } as Query, ctx)).rejects.toMatchObject(refused);
    await expect(list({ ...filters, cursor } as Query, ctx, "others")).rejects.toMatchObject(refused);
    const inProject = { ...ctx, project_id: newId() };
    await expect(list({ ...filters, cursor } as Query, inProject)).rejects.toMatchObject(refused);
    await expect(list({ ...filters, cursor: "" } as Query, ctx)).rejects.toMatchObject(refused);
  });

  it("O6 has a cursor that stays valid while JWT_SIGNING_KEY rotates", async () => {
    const ctx = world.callerCtx();
    const { next_cursor } = await list({ limit: 1 }, ctx);
    const keys = (...jwt_signing_keys: string[]) => ({ ...ctx, config: { ...ctx.config, jwt_signing_keys } });
    const [old] = ctx.config.jwt_signing_keys as [string];
    const query = { limit: 1, cursor: next_cursor ?? "" };
    await expect(list(query, keys("another", old))).resolves.toBeDefined();
    await expect(list(query, keys("another"))).rejects.toMatchObject({ code: "invalid_cursor" });
  });
});
