import pg from "pg";
import { beforeEach, describe, expect, it } from "vitest";
import { runSql } from "../../../test/world/database.ts";
import { makeWorld, type World } from "../../../test/world/world.ts";
import type { Ctx } from "../context.ts";
import { newId } from "../ids.ts";
import { newServiceState } from "../service-state.ts";
import { positionNow, sequenceChanges } from "./sequence-changes.ts";

let world: World;
beforeEach(async () => {
  world = await makeWorld();
});

const INSERT = `
  insert into changelog_inbox (project_id, kind, ids, ordinals, created_at)
  select $1, 'run', array[$1::uuid], array[n], clock() from generate_series($2::int, $3::int) n`;

/** The ordinals of an id, in the order of their positions. */
async function sequenced(id: string): Promise<number[]> {
  const rows = await runSql<{ ordinal: number }>(
    world.connection,
    "select ordinals[1] as ordinal from changelog where ids[1] = $1 order by position",
    [id],
  );
  return rows.map(({ ordinal }) => ordinal);
}

const head = async () => {
  const [found] = await runSql<Record<string, string>>(world.connection, "select * from changelog_head");
  if (!found) throw new Error("no head");
  return found;
};

/** Another instance on the same database, which has not scanned the whole inbox yet. */
const instance = (): Ctx => ({ ...world.ctx, state: newServiceState() });

const upTo = (count: number) => Array.from({ length: count }, (_, n) => n + 1);

describe("the sequencer", () => {
  it("numbers everything that has committed, without gaps, and empties the inbox", async () => {
    const id = newId();
    await runSql(world.connection, INSERT, [id, 1, 2_500]);
    const before = Number((await head()).position);
    expect(await positionNow(world.ctx)).toBe(before + 2_500);
    expect(await sequenced(id)).toEqual(upTo(2_500));
    const [left] = await runSql(world.connection, "select count(*)::int as count from changelog_inbox");
    expect(left).toEqual({ count: 0 });
    const [found] = await runSql(
      world.connection,
      "select max(position) - min(position) + 1 = count(*) as is_whole from changelog",
    );
    expect(found).toEqual({ is_whole: true });
  });

  it("keeps the order of each run and takes each change once, with many sequencers and writers at once", async () => {
    const ids = Array.from({ length: 6 }, newId);
    let isWriting = true;
    const sequencers = [instance(), instance(), instance()].map(async (ctx) => {
      while (isWriting) await sequenceChanges(ctx);
    });
    await Promise.all(
      ids.map(async (id) => {
        for (let ordinal = 1; ordinal <= 40; ordinal++) await runSql(world.connection, INSERT, [id, ordinal, ordinal]);
      }),
    );
    isWriting = false;
    await Promise.all(sequencers);
    await sequenceChanges(world.ctx);
    for (const id of ids) expect(await sequenced(id)).toEqual(upTo(40));
  });

  it("leaves nothing behind that another sequencer has not taken", async () => {
    const id = newId();
    await runSql(world.connection, INSERT, [id, 1, 3_000]);
    await Promise.all([instance(), instance(), instance()].map(sequenceChanges));
    expect(await sequenced(id)).toEqual(upTo(3_000));
  });

  it("makes positions visible in their order: a sequencer waits for the one before it", async () => {
    const holder = new pg.Client(world.connection);
    await holder.connect();
    await holder.query("begin");
    await holder.query("select 1 from changelog_head for update");
    const id = newId();
    await runSql(world.connection, INSERT, [id, 1, 1]);
    const sequencing = sequenceChanges(world.ctx);
    expect(await Promise.race([sequencing.then(() => "done"), isWaiting()])).toBe("waiting");
    expect(await sequenced(id)).toEqual([]);
    await holder.query("rollback");
    await holder.end();
    await sequencing;
    expect(await sequenced(id)).toEqual([1]);
  });

  it("moves the start of its scan with each full scan, to what was sequenced before the previous one", async () => {
    for (let ordinal = 1; ordinal <= 3; ordinal++) {
      await runSql(world.connection, INSERT, [newId(), ordinal, ordinal]);
      await sequenceChanges(instance());
    }
    const { last_id, marked_id, scan_after } = await head();
    expect(Number(marked_id)).toBeLessThan(Number(last_id));
    expect(Number(scan_after)).toBeLessThan(Number(marked_id));
    expect(Number(scan_after)).toBeGreaterThan(0);
  });

  it("keeps a commit before later changes of its run, however late it is", async () => {
    await sequenceChanges(world.ctx); // its full scan
    const id = newId();
    const late = new pg.Client(world.connection);
    await late.connect();
    await late.query("begin");
    await late.query(INSERT, [id, 1, 1]);
    for (let scan = 1; scan <= 4; scan++) {
      await runSql(world.connection, INSERT, [newId(), 1, 1]);
      await sequenceChanges(instance());
    }
    await late.query("commit");
    await late.end();
    await runSql(world.connection, INSERT, [id, 2, 2]);
    await sequenceChanges(world.ctx);
    expect(await sequenced(id)).toEqual([1, 2]);
  });

  it("moves the start of its scan despite open transactions that write elsewhere", async () => {
    await runSql(world.connection, "create table elsewhere (id int)");
    const foreign = new pg.Client(world.connection);
    await foreign.connect();
    await foreign.query("begin");
    await foreign.query("insert into elsewhere values (1)");
    const before = Number((await head()).scan_after);
    for (let scan = 1; scan <= 3; scan++) {
      await runSql(world.connection, INSERT, [newId(), 1, 1]);
      await sequenceChanges(instance());
    }
    expect(Number((await head()).scan_after)).toBeGreaterThan(before);
    await foreign.end();
  });

  it("finds a commit that came after the scan had moved on, with the next full scan", async () => {
    await sequenceChanges(world.ctx); // its full scan
    const id = newId();
    await runSql(world.connection, INSERT, [id, 1, 1]);
    await runSql(world.connection, "update changelog_head set scan_after = (select max(id) from changelog_inbox)");
    await sequenceChanges(world.ctx);
    expect(await sequenced(id)).toEqual([]);
    await sequenceChanges(instance());
    expect(await sequenced(id)).toEqual([1]);
  });
});

async function isWaiting(): Promise<"waiting"> {
  for (;;) {
    const rows = await runSql(
      world.connection,
      "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    if (rows.length > 0) return "waiting";
  }
}
