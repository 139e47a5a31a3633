import pg from "pg";
import { beforeAll, describe, expect, it } from "vitest";
import { appendRunChanges } from "../../../test/seed/append-changes.ts";
import { runSql } from "../../../test/world/database.ts";
import { makeWorld, type World } from "../../../test/world/world.ts";
import { sql } from "../database/sql.ts";
import { newId } from "../ids.ts";
import { consumeChanges } from "./consume-changes.ts";
import { nextRange, runChanges } from "./log-range.ts";
import { positionNow, sequenceChanges } from "./sequence-changes.ts";

type Row = { run_id: string; ordinal: number };

let world: World;
let project_id: string;
beforeAll(async () => {
  world = await makeWorld();
  project_id = (await world.project()).id;
});

const INSERT = `
  with logged as (
    insert into run_transitions (project_id, run_id, ordinal, to_status, cause, attempt, created_at)
    select $1, $2, n, 'pending', 'test', 0, (select clock() + $4::interval) from generate_series(1, $3::int) n
    returning *
  )
  ${appendRunChanges()}`;

async function write(rows = 1, at = "0"): Promise<string> {
  const run_id = newId();
  await runSql(world.connection, INSERT, [project_id, run_id, rows, at]);
  return run_id;
}

async function openClient(begin = "begin"): Promise<pg.Client> {
  const client = new pg.Client(world.connection);
  await client.connect();
  await client.query(begin);
  return client;
}

/** A separate consumer for a test, up to date with the log, and the runs it has read since. */
async function consumer(max = 100_000) {
  const taken: string[] = [];
  const name = `test-${newId()}`;
  await runSql(world.connection, "insert into log_cursors (consumer, position, updated_at) values ($1, $2, clock())", [
    name,
    await positionNow(world.ctx),
  ]);
  const pass = (fails = false) =>
    consumeChanges(world.ctx, {
      ...{ name, max },
      take: async (tx, range) => {
        const { rows } = await sql<Row>`
          select l.run_id, l.ordinal from ${runChanges(range)} order by l.position, l.ordinal`.execute(tx.db);
        if (fails) throw new Error("no");
        taken.push(...rows.map(({ run_id }) => run_id));
      },
    });
  return { taken, pass };
}

describe("a consumer of the changelog", () => {
  it("reads new changes once, in the order of their commits", async () => {
    const { taken, pass } = await consumer();
    const written = [await write(), await write(), await write()];
    await pass();
    await pass();
    expect(taken).toEqual(written);
  });

  it("reads what commits late after what committed before it, and is delayed by no open transaction", async () => {
    const { taken, pass } = await consumer();
    const late = await openClient();
    const run_id = newId();
    await late.query(INSERT, [project_id, run_id, 1, "0"]);
    const after = await write();
    await pass();
    expect(taken).toEqual([after]);
    await late.query("commit");
    await late.end();
    await pass();
    await pass();
    expect(taken).toEqual([after, run_id]);
  });

  it("reads nothing of a transaction that was rolled back", async () => {
    const { taken, pass } = await consumer();
    const client = await openClient();
    await client.query(INSERT, [project_id, newId(), 1, "0"]);
    await client.query("rollback");
    await client.end();
    const written = await write();
    await pass();
    expect(taken).toEqual([written]);
  });

  it("is not delayed by a transaction that keeps its snapshot", async () => {
    const reader = await openClient("begin isolation level repeatable read");
    await reader.query("select count(*) from changelog_inbox");
    const { taken, pass } = await consumer();
    const written = [await write(), await write()];
    await pass();
    await pass();
    expect(taken).toEqual(written);
    await reader.end();
  });

  it("moves its cursor only together with the work on the changes", async () => {
    const { taken, pass } = await consumer();
    const written = await write();
    await expect(pass(true)).rejects.toThrow("no");
    await pass();
    expect(taken).toEqual([written]);
  });

  it("gives each change to one of many concurrent passes", async () => {
    const { taken, pass } = await consumer();
    const written = await Promise.all(Array.from({ length: 20 }, () => write()));
    await Promise.all(Array.from({ length: 6 }, () => pass()));
    await pass();
    expect(taken.toSorted()).toEqual(written.toSorted());
  });

  it("reads in bounded ranges, and reports whether there is more", async () => {
    const { taken, pass } = await consumer(2);
    const written = [await write(), await write(), await write()];
    expect(await pass()).toBe(true);
    expect(taken).toEqual(written.slice(0, 2));
    expect(await pass()).toBe(false);
    expect(taken).toEqual(written);
  });

  it("begins with the first change", async () => {
    const written = await write();
    const taken: string[] = [];
    const name = `test-${newId()}`;
    const pass = () =>
      consumeChanges(world.ctx, {
        ...{ name, max: 100_000 },
        take: async (tx, range) => {
          const { rows } = await sql<Row>`select l.run_id from ${runChanges(range)}`.execute(tx.db);
          taken.push(...rows.map(({ run_id }) => run_id));
        },
      });
    while (await pass());
    expect(taken).toContain(written);
  });
});

describe("a consumer with `yieldsToRuns`", () => {
  /** Old changes for more than one pass, and then this many current ones. */
  async function passBeside(young: number): Promise<boolean> {
    for (let nth = 0; nth < 3; nth++) await write(1_500, "-1 hour");
    // Ahead of the clock: they stay recent however long the pass takes.
    await write(young, "1 minute");
    const name = `test-${newId()}`;
    return consumeChanges(world.ctx, { ...{ name, max: 2_000, yieldsToRuns: true }, take: async () => {} });
  }

  it("continues while few runs change", async () => {
    expect(await passBeside(3)).toBe(true);
  });

  it("yields after one pass while many runs change", async () => {
    expect(await passBeside(300)).toBe(false);
  });
});

describe("a range of the changelog", () => {
  it("contains whole statements, and reports whether there is more", async () => {
    const before = await positionNow(world.ctx);
    const [large, small] = [await write(5), await write()];
    await sequenceChanges(world.ctx);
    const runsIn = async (range: { after: number; to: number } | undefined) => {
      if (!range) return [];
      const { rows } = await sql<Row>`select l.run_id from ${runChanges(range)}`.execute(world.ctx.db);
      return rows.map(({ run_id }) => run_id);
    };
    const first = await nextRange(world.ctx, before, 2);
    expect([await runsIn(first.range), first.has_more]).toEqual([Array.from({ length: 5 }, () => large), true]);
    const second = await nextRange(world.ctx, first.range?.to ?? 0, 2);
    expect([await runsIn(second.range), second.has_more]).toEqual([[small], false]);
    expect(await nextRange(world.ctx, second.range?.to ?? 0, 2)).toEqual({ range: undefined, has_more: false });
  });
});
