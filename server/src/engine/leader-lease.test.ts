import { isDeepStrictEqual } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { runSql } from "../../test/world/database.ts";
import { until } from "../../test/world/until.ts";
import { makeWorld, type World } from "../../test/world/world.ts";
import type { Ctx } from "../platform/context.ts";
import { newId } from "../platform/ids.ts";
import type { Task } from "../platform/task.ts";
import { acquireLeaderLease, releaseLeaderLease } from "./leader-lease.ts";
import { runTasks } from "./run-tasks.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
  await world.clock.set("2030-01-01T00:00:00.000Z");
});

/** The task context of another instance. */
const anotherCtx = (): Ctx => ({ ...world.ctx, instance_id: newId() });

const aTask = (more: Partial<Task> = {}): Task => ({
  name: `task-${newId()}`,
  everyMs: 60_000,
  oneInstance: true,
  runOnce: async () => false,
  ...more,
});

describe("the leader lease of a task", () => {
  it("goes to one of twenty concurrent instances", async () => {
    const task = aTask();
    const acquired = await Promise.all(Array.from({ length: 20 }, () => acquireLeaderLease(anotherCtx(), task)));
    expect(acquired.filter(Boolean)).toHaveLength(1);
  });

  it("is free again when the interval, less a tenth, has passed since its release", async () => {
    const [a, b, task] = [anotherCtx(), anotherCtx(), aTask()];
    expect(await acquireLeaderLease(a, task)).toBe(true);
    await releaseLeaderLease(a, task, task.everyMs);
    expect([await acquireLeaderLease(a, task), await acquireLeaderLease(b, task)]).toEqual([false, false]);
    await world.clock.pass("53s");
    expect(await acquireLeaderLease(b, task)).toBe(false);
    await world.clock.pass("1s");
    expect(await acquireLeaderLease(b, task)).toBe(true);
  });

  it("is free at once when more work is waiting", async () => {
    const [a, b, task] = [anotherCtx(), anotherCtx(), aTask()];
    await acquireLeaderLease(a, task);
    await releaseLeaderLease(a, task, 0);
    expect(await acquireLeaderLease(b, task)).toBe(true);
  });

  it("expires thirty seconds after its holder's last sign of life; the old holder cannot release it", async () => {
    const [silent, heir, third, task] = [anotherCtx(), anotherCtx(), anotherCtx(), aTask()];
    expect(await acquireLeaderLease(silent, task)).toBe(true);
    await world.clock.pass("29s");
    expect(await acquireLeaderLease(heir, task)).toBe(false);
    await world.clock.pass("1s");
    expect(await acquireLeaderLease(heir, task)).toBe(true);
    await releaseLeaderLease(silent, task, 0);
    expect(await acquireLeaderLease(third, task)).toBe(false);
    const [row] = await runSql(world.connection, "select holder, epoch from leaders where name = $1", [task.name]);
    expect(row).toEqual({ holder: heir.instance_id, epoch: "2" });
  });
});

describe("a leader lease after the database's clock went back", () => {
  it("is free, with a holder or without: neither it nor the next pass stands still until the clock catches up", async () => {
    const [a, b, held, released] = [anotherCtx(), anotherCtx(), aTask(), aTask()];
    await acquireLeaderLease(a, held);
    await acquireLeaderLease(a, released);
    await releaseLeaderLease(a, released, released.everyMs);
    await world.clock.goBack("1h");
    for (const task of [held, released]) expect(await acquireLeaderLease(b, task)).toBe(true);
  });
});

describe("a task of one instance", () => {
  it("runs once per period across three instances", async () => {
    let passes = 0;
    const task = aTask({
      everyMs: 20,
      runOnce: async () => {
        passes++;
        return false;
      },
    });
    const checks = async () => {
      const { values } = await world.ctx.metrics.taskRuns.get();
      return values.find(({ labels }) => labels.task === task.name)?.value ?? 0;
    };
    const tasks = [anotherCtx(), anotherCtx(), anotherCtx()].map((ctx) => runTasks(ctx, [task]));
    for (let period = 1; period <= 3; period++) {
      await until("the passes to reach the period", 20_000, () => passes === period);
      const before = await checks();
      await until("twelve more checks", 20_000, async () => (await checks()) > before + 12);
      expect(passes).toBe(period);
      await world.clock.pass("1s");
    }
    await Promise.all(tasks.map((each) => each.stop()));
  });

  it("that fails releases the lease, and runs at its next time", async () => {
    let passes = 0;
    const task = aTask({
      everyMs: 20,
      runOnce: async () => {
        if (++passes === 1) throw new Error("not today");
        return false;
      },
    });
    const tasks = runTasks(anotherCtx(), [task]);
    await until("1 passes", 20_000, () => passes === 1);
    const lease = async () =>
      (
        await runSql(world.connection, "select lease_until <= clock() as free from leaders where name = $1", [
          task.name,
        ])
      )[0];
    await until("lease() to equal { free: true }", 20_000, async () =>
      isDeepStrictEqual(await lease(), { free: true }),
    );
    await world.clock.pass("1s");
    await until("2 passes", 20_000, () => passes === 2);
    await tasks.stop();
  });
});
