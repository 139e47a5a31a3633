import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { runSql } from "../../../test/world/database.ts";
import { makeWorld, type World } from "../../../test/world/world.ts";
import type { Ctx } from "../context.ts";
import { sql } from "../database/sql.ts";
import { inTransaction } from "../database/transaction.ts";
import { newServiceState } from "../service-state.ts";
import { removeOldRows, removePage } from "./remove-old-rows.ts";
import { type RetentionEntry, secsAgo } from "./retention-entry.ts";

let world: World;
let ctx: Ctx;
beforeAll(async () => {
  world = await makeWorld();
});
beforeEach(async () => {
  await world.clock.set("2030-01-01T00:00:00Z");
  ctx = { ...world.ctx, state: newServiceState() };
  visited.splice(0);
});

const visited: string[] = [];

/** An entry with this many pages of old rows. */
function entryOf(name: string, pages: number, more: Partial<RetentionEntry> = {}): RetentionEntry {
  let left = pages;
  const removePage = async (_ctx: Ctx, page: number) => {
    visited.push(name);
    left = Math.max(0, left - 1);
    return { removed: page, more: left > 0 };
  };
  return { name, page: 10, removePage, ...more };
}

/** Runs a pass; returns which entries it visited, and whether more is due. */
async function pass(entries: readonly RetentionEntry[]): Promise<[string[], boolean]> {
  const more = await removeOldRows(ctx, entries);
  return [visited.splice(0), more];
}

async function countOf(metric: "retentionPages" | "removedRows", labels: Record<string, string>): Promise<number> {
  const { values } = await ctx.metrics[metric].get();
  const isWanted = (found: Partial<Record<string, string | number>>) =>
    Object.entries(labels).every(([name, value]) => found[name] === value);
  return values.find((each) => isWanted(each.labels))?.value ?? 0;
}

describe("a pass of remove-old-rows", () => {
  it("removes one page of each entry, then only of those with more", async () => {
    const entries = [entryOf("large", 9), entryOf("small", 2), entryOf("empty", 0)];
    expect(await pass(entries)).toEqual([["large", "small", "empty"], true]);
    expect(await pass(entries)).toEqual([["large", "small"], true]);
    expect(await pass(entries)).toEqual([["large"], true]);
  });

  it("visits the others again within a minute, however large a backlog is", async () => {
    const entries = [entryOf("large", 1_000), entryOf("empty", 0)];
    await pass(entries);
    await world.clock.pass("30s");
    expect(await pass(entries)).toEqual([["large"], true]);
    await world.clock.pass("31s");
    expect(await pass(entries)).toEqual([["large", "empty"], true]);
    expect(await pass(entries)).toEqual([["large"], true]);
  });

  it("visits every entry if the last pass left nothing", async () => {
    const entries = [entryOf("a", 1), entryOf("b", 1)];
    expect(await pass(entries)).toEqual([["a", "b"], false]);
    expect(await pass(entries)).toEqual([["a", "b"], false]);
  });

  it("visits an entry with an interval of its own that often, and at once while it has more", async () => {
    const entries = [entryOf("a", 0), entryOf("seldom", 2, { everyMs: 600_000 })];
    expect(await pass(entries)).toEqual([["a", "seldom"], true]);
    expect(await pass(entries)).toEqual([["seldom"], false]);
    await world.clock.pass("9m");
    expect(await pass(entries)).toEqual([["a"], false]);
    await world.clock.pass("2m");
    expect(await pass(entries)).toEqual([["a", "seldom"], false]);
  });

  it("continues after an entry that fails, counts the failure, and visits it again in the next round", async () => {
    const failing: RetentionEntry = {
      name: "failing",
      page: 10,
      removePage: () => {
        visited.push("failing");
        throw new Error("not today");
      },
    };
    const entries = [failing, entryOf("after-it", 2)];
    expect(await pass(entries)).toEqual([["failing", "after-it"], true]);
    expect(await pass(entries)).toEqual([["after-it"], false]);
    expect(await pass(entries)).toEqual([["failing", "after-it"], false]);
    expect(await countOf("retentionPages", { entry: "failing", outcome: "failed" })).toBe(2);
    expect(await countOf("retentionPages", { entry: "after-it", outcome: "done" })).toBe(3);
    expect(await countOf("removedRows", { entry: "after-it" })).toBe(30);
  });

  it("ends with the current page when the service shuts down, and requests no other pass", async () => {
    const stopping: RetentionEntry = {
      name: "stopping",
      page: 10,
      removePage: async ({ state }, page) => {
        state.draining = true;
        return { removed: page, more: true };
      },
    };
    expect(await pass([stopping, entryOf("next", 1)])).toEqual([[], false]);
  });
});

describe("a page", () => {
  const EXPIRED: RetentionEntry = { name: "expired", table: "sessions", expiresAt: "expires_at", page: 2 };
  const AGED: RetentionEntry = {
    name: "aged",
    table: "sessions",
    at: "created_at",
    before: () => secsAgo(60),
    page: 2,
  };

  /** Sessions that were created and expired this many seconds ago, with that number as their hash. */
  async function seed(...secs: number[]): Promise<void> {
    await runSql(world.connection, "delete from sessions");
    await runSql(
      world.connection,
      `insert into sessions (id, kind, token_hash, created_at, expires_at)
       select gen_random_uuid(), 'internal_secret', n::text::bytea, clock() - n * interval '1 second',
         clock() - n * interval '1 second' from unnest($1::float8[]) n`,
      [secs],
    );
  }
  const left = async () => {
    const rows = await runSql<{ n: string }>(
      world.connection,
      "select convert_from(token_hash, 'UTF8') as n from sessions order by created_at",
    );
    return rows.map(({ n }) => Number(n));
  };

  it("holds at most its number of rows, the oldest first", async () => {
    await seed(1, 5, 3, 4, 2);
    expect([await removePage(ctx, EXPIRED), await left()]).toEqual([{ removed: 2, more: true }, [3, 2, 1]]);
    expect([await removePage(ctx, EXPIRED), await left()]).toEqual([{ removed: 2, more: true }, [1]]);
    expect([await removePage(ctx, EXPIRED), await left()]).toEqual([{ removed: 1, more: false }, []]);
  });

  it("holds at most its number of rows over all projects", async () => {
    const projects = [await world.project(), await world.project(), await world.project()];
    await runSql(
      world.connection,
      `insert into usage_emails (project_id, period_starts_at, email, status, next_try_at, created_at)
       select p, clock() - n * interval '1 day', 'a@b.example', 'sent', clock(), clock() - interval '2 years'
       from unnest($1::uuid[]) p, generate_series(1, 3) n`,
      [projects.map(({ id }) => id)],
    );
    const entry: RetentionEntry = {
      name: "of-each-project",
      table: "usage_emails",
      at: "created_at",
      before: () => secsAgo(60),
      through: sql`projects p`,
      where: sql`t.project_id = p.id`,
      page: 5,
    };
    expect(await removePage(ctx, entry)).toEqual({ removed: 5, more: true });
    expect(await removePage(ctx, entry)).toEqual({ removed: 4, more: false });
  });

  it("contains an expiring row from its expiry on, but an aged row only beyond its age", async () => {
    await seed(0);
    expect(await removePage(ctx, EXPIRED)).toMatchObject({ removed: 1 });
    await seed(60, 60.001);
    expect([await removePage(ctx, AGED), await left()]).toEqual([{ removed: 1, more: false }, [60]]);
  });

  it("leaves out rows that others have locked, and those that do not meet its condition", async () => {
    await seed(1, 2, 3);
    const entry: RetentionEntry = { ...EXPIRED, where: sql`t.token_hash <> '1'::bytea` };
    await inTransaction(world.ctx, async (tx) => {
      await sql`select 1 from sessions where token_hash = '2'::bytea for update`.execute(tx.db);
      expect(await removePage(ctx, entry)).toEqual({ removed: 1, more: false });
    });
    expect(await left()).toEqual([2, 1]);
  });
});
