import { beforeAll, describe, expect, it } from "vitest";
import { seedRun } from "../../../../test/seed/seed-run.ts";
import { runSql } from "../../../../test/world/database.ts";
import { makeWorld, type TestProject, type World } from "../../../../test/world/world.ts";
import type { Ctx } from "../../../platform/context.ts";
import type { Db } from "../../../platform/database/db.ts";
import { newId } from "../../../platform/ids.ts";
import { waitForEnd, wakeWaitersForEnd } from "./wait-for-end.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld();
  project = await world.project();
});

const seed = () => seedRun(world.connection, project.id, { status: "running" });
const wait = (run_id: string, secs: number, ctx: Ctx = world.ctx) => waitForEnd(ctx, project.id, run_id, secs);
const end = (run_id: string) =>
  runSql(
    world.connection,
    "update runs set prev_status = status, status = 'completed', finished_at = clock() where id = $1",
    [run_id],
  );

/** The same service, with its statements counted. */
function counted(): { ctx: Ctx; statements: () => number } {
  let statements = 0;
  const query: Db["query"] = (text, parameters) => {
    statements++;
    return world.ctx.db.query(text, parameters);
  };
  return { ctx: { ...world.ctx, db: { ...world.ctx.db, query } }, statements: () => statements };
}

describe("waiting for a run to end", () => {
  it("resolves at once when the run is settled on this instance", async () => {
    const { ctx, statements } = counted();
    const run_id = await seed();
    await end(run_id);
    const waiting = wait(run_id, 10, ctx);
    wakeWaitersForEnd(ctx, [newId(), run_id]);
    expect(await waiting).toMatchObject({ hasEnded: true, run: { id: run_id, status: "completed" } });
    // It read the run, and nothing was polled before.
    expect(statements()).toBe(1);
  });

  it("resolves soon when it is settled elsewhere", async () => {
    const run_id = await seed();
    const waiting = wait(run_id, 10);
    await end(run_id);
    expect(await waiting).toMatchObject({ hasEnded: true });
  });

  it("resolves when the time is up, with the run's current state", async () => {
    expect(await wait(await seed(), 0.05)).toMatchObject({ hasEnded: false, run: { status: "running" } });
    expect(await wait(newId(), 0.05)).toEqual({ hasEnded: false, run: undefined });
  });

  it("polls for all waiters together", async () => {
    const { ctx, statements } = counted();
    const run_ids = await Promise.all(Array.from({ length: 20 }, seed));
    const waiting = run_ids.map((run_id) => wait(run_id, 0.9, ctx));
    expect((await Promise.all(waiting)).map(({ hasEnded }) => hasEnded)).toEqual(Array(20).fill(false));
    // 20 that read their run in the end, and a poll every 200 ms.
    expect(statements() - 20).toBeLessThanOrEqual(5);
  });

  it("polls no more often after many successive waiters", async () => {
    const { ctx, statements } = counted();
    const run_id = await seed();
    for (let n = 0; n < 30; n++) {
      const waiting = wait(run_id, 10, ctx);
      wakeWaitersForEnd(ctx, [run_id]);
      await waiting;
    }
    const before = statements();
    await wait(run_id, 0.9, ctx);
    expect(statements() - before).toBeLessThanOrEqual(7);
  });
});
