import { afterEach, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { captureStatements } from "../../test/statements/sent-statements.ts";
import { runSql } from "../../test/world/database.ts";
import { startAtOnce } from "../../test/world/start-at-once.ts";
import { until } from "../../test/world/until.ts";
import { makeWorld, type World } from "../../test/world/world.ts";
import { sql } from "../platform/database/sql.ts";
import { newId } from "../platform/ids.ts";
import type { Task } from "../platform/task.ts";
import { type RunningTasks, runTasks } from "./run-tasks.ts";

const RARELY_MS = 100_000;

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

const running: RunningTasks[] = [];
afterEach(async () => {
  for (const tasks of running.splice(0)) await tasks.stop();
});

/**
 * Starts a task under a unique name. `passes` is the number of its passes; `work` returns whether there is more to do.
 */
function start(more: Partial<Task> & { work?: (pass: number) => Promise<boolean> | boolean }, ctx = world.ctx) {
  const { work = () => false, ...options } = more;
  const task = { name: `task-${newId()}`, passes: 0 };
  const runOnce = async () => work(++task.passes);
  const row = { name: task.name, everyMs: RARELY_MS, oneInstance: false, runOnce, ...options };
  const tasks = startAtOnce(() => runTasks(ctx, [row]));
  running.push(tasks);
  return { ...tasks, task };
}

/** Passes of 20 ms or longer, each with the time from its end until the next one was due. */
async function passesOf(options: Partial<Task>): Promise<{ tookMs: number; pausedMs: number }[]> {
  const name = `task-${newId()}`;
  const seen: { dueAt: number; beganAt: number; endedAt: number }[] = [];
  const work = async () => {
    const [dueAt, beganAt] = [world.ctx.state.taskDueAt.get(name) ?? 0, performance.now()];
    await new Promise((done) => setTimeout(done, 20));
    seen.push({ dueAt, beganAt, endedAt: performance.now() });
    return false;
  };
  start({ name, hasWork: sql`true`, work, ...options });
  await until("four passes", 20_000, () => seen.length >= 4);
  return seen.slice(0, 3).map(({ beganAt, endedAt }, nth) => ({
    tookMs: endedAt - beganAt,
    pausedMs: (seen[nth + 1]?.dueAt ?? 0) - endedAt,
  }));
}

async function countPasses(name: string, outcome: string): Promise<number> {
  const { values } = await world.ctx.metrics.taskRuns.get();
  return values.find(({ labels }) => labels.task === name && labels.outcome === outcome)?.value ?? 0;
}

describe("a task", () => {
  it("runs repeatedly at its interval", async () => {
    const { task } = start({ everyMs: 10 });
    await until("task.passes > 5", 20_000, () => task.passes > 5);
    expect(await countPasses(task.name, "done")).toBeGreaterThan(4);
  });

  it("runs again at once while it reports more work", async () => {
    const { task } = start({ work: (pass) => pass < 20 });
    await until("task.passes to be 20", 20_000, () => task.passes === 20);
  });

  it("pauses between passes, if it is throttled, for a multiple of their duration", async () => {
    const passes: { dueAt: number; beganAt: number; endedAt: number }[] = [];
    const name = `task-${newId()}`;
    const work = async () => {
      const [dueAt, beganAt] = [world.ctx.state.taskDueAt.get(name) ?? 0, performance.now()];
      await new Promise((done) => setTimeout(done, 20));
      passes.push({ dueAt, beganAt, endedAt: performance.now() });
      return true;
    };
    start({ name, throttle: 4, work });
    await until("passes.length >= 6", 20_000, () => passes.length >= 6);
    for (const [nth, { beganAt, endedAt }] of passes.slice(0, 5).entries()) {
      expect((passes[nth + 1]?.dueAt ?? 0) - endedAt).toBeGreaterThanOrEqual(4 * (endedAt - beganAt));
    }
  });

  it.each([false, true])("pauses as long as it says after a pass of that duration (oneInstance: %s)", async (one) => {
    const passes = await passesOf({ oneInstance: one, everyMs: RARELY_MS, pauseMs: (_, tookMs) => 4 * tookMs });
    for (const { tookMs, pausedMs } of passes) expect(pausedMs).toBeGreaterThanOrEqual(4 * tookMs);
  });

  it("runs next after its interval, with a jitter of a tenth", async () => {
    let beganAt = 0;
    const work = () => {
      beganAt = performance.now();
      return false;
    };
    const { task } = start({ wakeOn: "jitter", work });
    /** The delay starts after the pass began and before this test observes it, so it lies between these two bounds. */
    const [atLeast, atMost]: [number[], number[]] = [[], []];
    await until("task.passes >= 1", 20_000, () => task.passes >= 1);
    for (let pass = 2; pass <= 40; pass++) {
      await until("dueIn(task.name) > RARELY_MS / 2", 20_000, () => dueIn(task.name) > RARELY_MS / 2);
      atLeast.push(dueIn(task.name));
      atMost.push(dueIn(task.name) + performance.now() - beganAt);
      world.ctx.wakeup.wake("jitter");
      await until("task.passes >= pass", 20_000, () => task.passes >= pass);
    }
    expect(Math.min(...atMost)).toBeGreaterThanOrEqual(RARELY_MS * 0.9);
    expect(Math.max(...atLeast)).toBeLessThanOrEqual(RARELY_MS * 1.1);
    expect(Math.max(...atLeast) - Math.min(...atMost)).toBeGreaterThan(RARELY_MS * 0.05);
  });

  it("that fails is counted and runs again", async () => {
    const { task } = start({
      everyMs: 10,
      work: (pass) => {
        if (pass < 4) throw new Error("not today");
        return false;
      },
    });
    await until("countPasses(task.name, 'done') > 1", 20_000, async () => (await countPasses(task.name, "done")) > 1);
    expect(await countPasses(task.name, "failed")).toBe(3);
  });

  it("that fails does not delay the others", async () => {
    start({
      everyMs: 1,
      work: () => {
        throw new Error("always");
      },
    });
    const { task } = start({ everyMs: 10 });
    await until("task.passes > 3", 20_000, () => task.passes > 3);
  });

  it("is woken at once by its topic, and once more by a wake-up in the middle of a pass", async () => {
    let release = () => {};
    const { task } = start({
      wakeOn: "bell",
      work: (pass) => (pass === 2 ? new Promise<boolean>((done) => (release = () => done(false))) : false),
    });
    await until("task.passes >= 1", 20_000, () => task.passes >= 1);
    world.ctx.wakeup.wake("bell");
    await until("task.passes to be 2", 20_000, () => task.passes === 2);
    world.ctx.wakeup.wake("bell");
    expect(task.passes).toBe(2);
    release();
    await until("task.passes >= 3", 20_000, () => task.passes >= 3);
  });

  it.each([false, true])("runs no pass and takes no lease while `hasWork` is false (oneInstance: %s)", async (one) => {
    const flag = newId();
    const hasWork = sql`exists (select 1 from leaders l where l.name = ${sql.lit(flag)})`;
    const { task } = start({ everyMs: 10, oneInstance: one, hasWork });
    const leases = () => runSql(world.connection, "select epoch from leaders where name = $1", [task.name]);
    await until("several checks", 20_000, async () => (await countPasses(task.name, "done")) > 3);
    expect([task.passes, await leases()]).toEqual([0, []]);
    await raise(flag);
    await until("task.passes > 0", 20_000, () => task.passes > 0);
    expect(await leases()).toHaveLength(one ? 1 : 0);
  });

  it("runs for work in its instance's memory, although `hasWork` is false", async () => {
    let isKnown = false;
    const { task } = start({ everyMs: 10, hasWork: sql`false`, hasWorkHere: () => isKnown });
    await until("several checks", 20_000, async () => (await countPasses(task.name, "done")) > 3);
    expect(task.passes).toBe(0);
    isKnown = true;
    await until("task.passes > 0", 20_000, () => task.passes > 0);
  });

  it("runs its passes if the check for work fails", async () => {
    const { task } = start({ everyMs: 10, hasWork: sql`1 / 0 = 1` });
    await until("task.passes > 1", 20_000, () => task.passes > 1);
  });

  it("is checked together with all others, in one statement", async () => {
    const statements = new Set<string>();
    const { stop } = captureStatements((text) => void statements.add(text));
    onTestFinished(stop);
    const names = Array.from({ length: 20 }, () => `task-${newId()}`);
    const tasks = names.map((name, nth) => ({
      ...{ name, everyMs: nth < 10 ? 20 : 40, oneInstance: nth % 2 === 0, hasWork: sql`false` },
      runOnce: async () => false,
    }));
    running.push(startAtOnce(() => runTasks(world.ctx, tasks)));
    const last = names.at(-1) ?? "";
    await until("several checks", 20_000, async () => (await countPasses(last, "done")) > 3);
    expect([...statements].filter((text) => text.includes("has_work"))).toHaveLength(1);
  });

  it("ignores wake-ups while `wakesWhile` is false, and then only polls", async () => {
    const flag = newId();
    const wakesWhile = sql`exists (select 1 from leaders l where l.name = ${sql.lit(flag)})`;
    const { task } = start({ everyMs: 500, wakeOn: flag, hasWork: sql`false`, wakesWhile });
    await until("a check", 20_000, async () => (await countPasses(task.name, "done")) > 0);
    world.ctx.wakeup.wake(flag);
    expect(dueIn(task.name)).toBeGreaterThan(0);
    await raise(flag);
    const wakes = () => {
      world.ctx.wakeup.wake(flag);
      return task.passes > 0;
    };
    await until("a check to notice it", 20_000, wakes);
  });

  it("that runs on one instance is also woken at once, even if it is not due", async () => {
    const { task } = start({ wakeOn: "lead-bell", oneInstance: true });
    await until("task.passes >= 1", 20_000, () => task.passes >= 1);
    const before = task.passes;
    world.ctx.wakeup.wake("lead-bell");
    await until("task.passes > before", 20_000, () => task.passes > before);
  });
});

describe("stopping", () => {
  it("waits for the pass in progress, and starts no other", async () => {
    let release = () => {};
    const { task, stop } = start({
      everyMs: 1,
      wakeOn: "late",
      work: () => new Promise<boolean>((done) => (release = () => done(true))),
    });
    await until("task.passes to be 1", 20_000, () => task.passes === 1);
    let stopped = false;
    const stopping = stop().then(() => (stopped = true));
    world.ctx.wakeup.wake("late");
    expect(stopped).toBe(false);
    release();
    await stopping;
    const { task: witness } = start({ everyMs: 1 });
    await until("witness.passes > 5", 20_000, () => witness.passes > 5);
    expect(task.passes).toBe(1);
  });

  it("before the first pass runs none", async () => {
    const { task, stop } = start({ everyMs: 1_000 });
    await stop();
    const { task: witness } = start({ everyMs: 1 });
    await until("witness.passes > 0", 20_000, () => witness.passes > 0);
    expect(task.passes).toBe(0);
  });
});

function dueIn(name: string): number {
  return (world.ctx.state.taskDueAt.get(name) ?? 0) - performance.now();
}

/** Makes conditions on a row of this name true. */
async function raise(flag: string): Promise<void> {
  await runSql(
    world.connection,
    `insert into leaders (name, holder, epoch, lease_until, next_due_at)
     values ($1, gen_random_uuid(), 1, clock(), clock())`,
    [flag],
  );
}
