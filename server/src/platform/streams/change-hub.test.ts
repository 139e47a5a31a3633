import pg from "pg";
import { beforeAll, describe, expect, it } from "vitest";
import { appendRunChanges } from "../../../test/seed/append-changes.ts";
import { seedRun, seedRuns } from "../../../test/seed/seed-run.ts";
import { runSql } from "../../../test/world/database.ts";
import { until } from "../../../test/world/until.ts";
import { makeWorld, type World } from "../../../test/world/world.ts";
import type { Ctx } from "../context.ts";
import type { Db } from "../database/db.ts";
import { newId } from "../ids.ts";
import { newServiceState } from "../service-state.ts";
import { followChanges, streamPositionNow } from "./change-hub.ts";
import type { StreamPosition } from "./stream-position.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

/** A separate instance on the same database, whose statements are counted and can be made to fail. */
function instance() {
  const counted = { statements: 0, fails: false };
  const query: Db["query"] = async (text, parameters) => {
    counted.statements++;
    if (counted.fails) throw new Error("away");
    return world.ctx.db.query(text, parameters);
  };
  const db = { ...world.ctx.db, query };
  return { ctx: { ...world.ctx, db, state: newServiceState() } as Ctx, counted };
}

function follow(ctx: Ctx, project_id: string, start: { since: StreamPosition; now: StreamPosition }, isStuck = false) {
  const received: string[] = [];
  const ended = { count: 0 };
  const stop = followChanges(
    ctx,
    {
      project_id,
      log_run_ids: [],
      take: (changes) => void received.push(...changes.map(({ object_id, ordinal }) => `${object_id} ${ordinal}`)),
      moved: () => {},
      failed: () => void ended.count++,
      drained: () => (isStuck ? new Promise(() => {}) : Promise.resolve()),
    },
    start,
  );
  return { received, ended, stop };
}

async function startNow(ctx: Ctx) {
  const now = await streamPositionNow(ctx);
  return { since: now, now };
}

/** As a promoted standby that had not received the last changes of this project. */
async function loseLast(project_id: string): Promise<void> {
  const lose = `
    with lost as (delete from changelog where project_id = $1 returning position)
    update changelog_head set position = (select min(position) from lost) - 1`;
  await runSql(world.connection, lose, [project_id]);
}

describe("following changes", () => {
  it("delivers a transaction that commits late once it does, and waits for none", async () => {
    const { id: project_id } = await world.project();
    const { ctx } = instance();
    const { received, stop } = follow(ctx, project_id, await startNow(ctx));
    const late = await seedRun(world.connection, project_id);
    const client = new pg.Client(world.connection);
    await client.connect();
    await client.query("begin");
    const move = `
      with logged as (
        insert into run_transitions (project_id, run_id, ordinal, to_status, cause, attempt, created_at)
        values ($1, $2, $3, 'paused', 'test', 0, clock()) returning *
      )
      ${appendRunChanges()}`;
    await client.query(move, [project_id, late, 2]);
    const after = await seedRun(world.connection, project_id);
    await until("the one after it", 20_000, () => received.includes(`${after} 1`));
    await client.query("commit");
    await client.end();
    await until("all of them", 20_000, () => received.includes(`${late} 2`));
    expect(received).toEqual([`${late} 1`, `${after} 1`, `${late} 2`]);
    stop();
  });

  it("reads once for all: five hundred subscribers that reconnect cost a few statements", async () => {
    const { id: project_id } = await world.project();
    const { ctx, counted } = instance();
    const startedAt = performance.now();
    const before = await startNow(ctx);
    const written = await seedRuns(world.connection, project_id, [{}, {}, {}]);
    const first = follow(ctx, project_id, await startNow(ctx));
    const resumed = Array.from({ length: 500 }, () => follow(ctx, project_id, { ...before, now: before.now }));
    await until("all of them", 20_000, () => resumed.every(({ received }) => received.length === 3));
    for (const { received } of resumed) expect(received.toSorted()).toEqual(written.map((id) => `${id} 1`).toSorted());
    const [later] = await seedRuns(world.connection, project_id, [{}]);
    await until("the next", 20_000, () => resumed.every(({ received }) => received.includes(`${later} 1`)));
    await until("the next", 20_000, () => first.received.includes(`${later} 1`));
    // On a busy machine the live subscribers poll more often until all have caught up: a few statements every 100 ms.
    const polls = (performance.now() - startedAt) / 100;
    expect(counted.statements).toBeLessThan(300 + 4 * polls);
    for (const { stop } of [first, ...resumed]) stop();
    const { statements } = counted;
    await new Promise((tick) => setTimeout(tick, 300));
    expect(counted.statements).toBeLessThanOrEqual(statements + 1);
  });

  it("treats a subscriber at a removed row as caught up, and does not keep looking for the row", async () => {
    const { id: project_id } = await world.project();
    const { ctx, counted } = instance();
    await seedRun(world.connection, project_id);
    const { now } = await startNow(ctx);
    await runSql(world.connection, "delete from changelog");
    const since = { ...now, inside: { log: 0, id: newId(), ordinal: 1 } };
    const { received, stop } = follow(ctx, project_id, { since, now });
    await new Promise((tick) => setTimeout(tick, 300));
    expect(counted.statements).toBeLessThan(40);
    const id = await seedRun(world.connection, project_id);
    await until("the next", 20_000, () => received.includes(`${id} 1`));
    stop();
  });

  it("continues without a gap after the database was unreachable", async () => {
    const { id: project_id } = await world.project();
    const { ctx, counted } = instance();
    const start = await startNow(ctx);
    counted.statements = 0;
    counted.fails = true; // before it follows: no read is in progress
    const { received, ended, stop } = follow(ctx, project_id, start);
    const written = await seedRuns(world.connection, project_id, [{}, {}]);
    await until("two failed reads", 20_000, () => counted.statements >= 2);
    expect(received).toEqual([]);
    counted.fails = false;
    await until("both", 20_000, () => received.length === 2);
    expect(received.toSorted()).toEqual(written.map((id) => `${id} 1`).toSorted());
    expect(ended.count).toBe(0);
    stop();
  });

  it.each([
    ["is shorter than what was delivered", 0],
    ["has other changes at the positions that were delivered", 3],
  ])("ends streams when the database comes back with a log that %s", async (_, writtenSince) => {
    const { id: project_id } = await world.project();
    const { ctx, counted } = instance();
    const { received, ended, stop } = follow(ctx, project_id, await startNow(ctx));
    for (const id of await seedRuns(world.connection, project_id, [{}, {}]))
      await until("its change", 20_000, () => received.includes(`${id} 1`));
    counted.fails = true;
    counted.statements = 0;
    await until("two failed reads", 20_000, () => counted.statements >= 2);
    await loseLast(project_id);
    await world.clock.pass("5s");
    for (let nth = 0; nth < writtenSince; nth++) {
      await seedRun(world.connection, project_id);
      await streamPositionNow(instance().ctx);
    }
    counted.fails = false;
    await until("the end of the stream", 20_000, () => ended.count > 0);
    expect(received).toHaveLength(2);
    const { now } = await startNow(ctx);
    const [head] = await runSql<{ position: number }>(world.connection, "select position::int from changelog_head");
    expect(now.position).toBe(head?.position);
    stop();
  });

  it("a subscriber that does not consume its changes does not delay the others indefinitely", async () => {
    const { id: project_id } = await world.project();
    const { ctx } = instance();
    const before = await startNow(ctx);
    await seedRuns(
      world.connection,
      project_id,
      Array.from({ length: 2_100 }, () => ({})), // two passes
    );
    const stuck = follow(ctx, project_id, before, true);
    const other = follow(ctx, project_id, before);
    await until("all of them", 20_000, () => other.received.length === 2_100);
    for (const { stop } of [stuck, other]) stop();
  });

  it("continues with the others when one subscriber fails, and notifies that one", async () => {
    const { id: project_id } = await world.project();
    const { ctx } = instance();
    const start = await startNow(ctx);
    const seen = { failed: false };
    const broken = {
      project_id,
      log_run_ids: [],
      take: () => {
        throw new Error("no");
      },
      moved: () => {},
      failed: () => {
        seen.failed = true;
      },
      drained: () => Promise.resolve(),
    };
    const stop = followChanges(ctx, broken, start);
    const other = follow(ctx, project_id, start);
    const id = await seedRun(world.connection, project_id);
    await until("it", 20_000, () => other.received.includes(`${id} 1`));
    expect(seen.failed).toBe(true);
    stop();
    other.stop();
  });

  it("delivers everything once to every subscriber while many write concurrently", async () => {
    const { id: project_id } = await world.project();
    const { ctx } = instance();
    const start = await startNow(ctx);
    const subscribers = [follow(ctx, project_id, start)];
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        for (let n = 0; n < 6; n++) {
          await seedRuns(world.connection, project_id, [{ status: "completed" }]);
          subscribers.push(follow(ctx, project_id, start));
        }
      }),
    );
    const rows = await runSql<{ name: string }>(
      world.connection,
      "select run_id || ' ' || ordinal as name from run_history where project_id = $1",
      [project_id],
    );
    await until("all of them", 20_000, () => subscribers.every(({ received }) => received.length >= rows.length));
    for (const { received } of subscribers)
      expect(received.toSorted()).toEqual(rows.map(({ name }) => name).toSorted());
    for (const { stop } of subscribers) stop();
  });
});
