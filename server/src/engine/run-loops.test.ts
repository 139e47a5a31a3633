import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { runSql } from "../../test/database.ts";
import { startAtOnce } from "../../test/start-at-once.ts";
import { until } from "../../test/until.ts";
import { makeWorld, type World } from "../../test/world.ts";
import { newId } from "../platform/ids.ts";
import type { Loop } from "../platform/loop.ts";
import { type RunningLoops, runLoops } from "./run-loops.ts";

const RARELY_MS = 100_000;

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

const running: RunningLoops[] = [];
afterEach(async () => {
  for (const loops of running.splice(0)) await loops.stop();
});

/** Starts a duty under a name of its own. `turns` counts; `work` decides. */
function start(more: Partial<Loop> & { work?: (turn: number) => Promise<boolean> | boolean }, ctx = world.ctx) {
  const { work = () => false, ...loop } = more;
  const duty = { name: `duty-${newId()}`, turns: 0 };
  const runOnce = async () => work(++duty.turns);
  const row = { name: duty.name, everyMs: RARELY_MS, oneInstance: false, runOnce, ...loop };
  const loops = startAtOnce(() => runLoops(ctx, [row]));
  running.push(loops);
  return { ...loops, duty };
}

async function turnsCounted(name: string, outcome: string): Promise<number> {
  const { values } = await world.ctx.metrics.dutyRuns.get();
  return values.find(({ labels }) => labels.duty === name && labels.outcome === outcome)?.value ?? 0;
}

describe("a duty", () => {
  it("comes again and again at its pace", async () => {
    const { duty } = start({ everyMs: 10 });
    await until("duty.turns > 5", 20_000, () => duty.turns > 5);
    expect(await turnsCounted(duty.name, "done")).toBeGreaterThan(4);
  });

  it("comes at once while it says that more is waiting", async () => {
    const { duty } = start({ work: (turn) => turn < 20 });
    await until("duty.turns to be 20", 20_000, () => duty.turns === 20);
  });

  it("rests between its turns, when it says so, as a multiple of what they take", async () => {
    const turns: { dueAt: number; beganAt: number; endedAt: number }[] = [];
    const name = `duty-${newId()}`;
    const work = async () => {
      const [dueAt, beganAt] = [world.ctx.state.dutyDueAt.get(name) ?? 0, performance.now()];
      await new Promise((done) => setTimeout(done, 20));
      turns.push({ dueAt, beganAt, endedAt: performance.now() });
      return true;
    };
    start({ name, rests: 4, work });
    await until("turns.length >= 6", 20_000, () => turns.length >= 6);
    for (const [nth, { beganAt, endedAt }] of turns.slice(0, 5).entries()) {
      expect((turns[nth + 1]?.dueAt ?? 0) - endedAt).toBeGreaterThanOrEqual(4 * (endedAt - beganAt));
    }
  });

  it("is put off by its interval, give or take a tenth", async () => {
    let beganAt = 0;
    const work = () => {
      beganAt = performance.now();
      return false;
    };
    const { duty } = start({ wakeOn: "jitter", work });
    /** It is put off after its turn has begun, and before that is seen: the delay lies between these two. */
    const [atLeast, atMost]: [number[], number[]] = [[], []];
    await until("duty.turns >= 1", 20_000, () => duty.turns >= 1);
    for (let turn = 2; turn <= 40; turn++) {
      await until("dueIn(duty.name) > RARELY_MS / 2", 20_000, () => dueIn(duty.name) > RARELY_MS / 2);
      atLeast.push(dueIn(duty.name));
      atMost.push(dueIn(duty.name) + performance.now() - beganAt);
      world.ctx.wakeup.wake("jitter");
      await until("duty.turns >= turn", 20_000, () => duty.turns >= turn);
    }
    expect(Math.min(...atMost)).toBeGreaterThanOrEqual(RARELY_MS * 0.9);
    expect(Math.max(...atLeast)).toBeLessThanOrEqual(RARELY_MS * 1.1);
    expect(Math.max(...atLeast) - Math.min(...atMost)).toBeGreaterThan(RARELY_MS * 0.05);
  });

  it("that fails is counted and comes again", async () => {
    const { duty } = start({
      everyMs: 10,
      work: (turn) => {
        if (turn < 4) throw new Error("not today");
        return false;
      },
    });
    await until("turnsCounted(duty.name, 'done') > 1", 20_000, async () => (await turnsCounted(duty.name, "done")) > 1);
    expect(await turnsCounted(duty.name, "failed")).toBe(3);
  });

  it("that fails does not hold up the others", async () => {
    start({
      everyMs: 1,
      work: () => {
        throw new Error("always");
      },
    });
    const { duty } = start({ everyMs: 10 });
    await until("duty.turns > 3", 20_000, () => duty.turns > 3);
  });

  it("is woken at once by its topic, and by a wake-up in the middle of a turn once more", async () => {
    let release = () => {};
    const { duty } = start({
      wakeOn: "bell",
      work: (turn) => (turn === 2 ? new Promise<boolean>((done) => (release = () => done(false))) : false),
    });
    await until("duty.turns >= 1", 20_000, () => duty.turns >= 1);
    world.ctx.wakeup.wake("bell");
    await until("duty.turns to be 2", 20_000, () => duty.turns === 2);
    world.ctx.wakeup.wake("bell");
    expect(duty.turns).toBe(2);
    release();
    await until("duty.turns >= 3", 20_000, () => duty.turns >= 3);
  });

  it.each([false, true])(
    "takes no turn and no lease while a look finds nothing to do (of one instance: %s)",
    async (one) => {
      let isWork = false;
      let looks = 0;
      const hasWork = async () => {
        looks++;
        return isWork;
      };
      const { duty } = start({ everyMs: 10, oneInstance: one, hasWork });
      const leases = () => runSql(world.connection, "select epoch from leaders where name = $1", [duty.name]);
      await until("looks > 3", 20_000, () => looks > 3);
      expect([duty.turns, await leases()]).toEqual([0, []]);
      isWork = true;
      await until("duty.turns > 0", 20_000, () => duty.turns > 0);
      expect(await leases()).toHaveLength(one ? 1 : 0);
    },
  );

  it("takes its turn when the look lost its connection, and fails when it fails otherwise", async () => {
    const losesIt = () => Promise.reject(Object.assign(new Error("gone"), { code: "08006" }));
    const { duty: lost } = start({ everyMs: 10, hasWork: losesIt });
    const { duty: failed } = start({ everyMs: 10, hasWork: () => Promise.reject(new Error("not today")) });
    await until("lost.turns > 0", 20_000, () => lost.turns > 0);
    await until(
      "turnsCounted(failed.name, 'failed') > 0",
      20_000,
      async () => (await turnsCounted(failed.name, "failed")) > 0,
    );
    expect(failed.turns).toBe(0);
  });

  it("of one instance is woken at once too, though it is not due", async () => {
    const { duty } = start({ wakeOn: "lead-bell", oneInstance: true });
    await until("duty.turns >= 1", 20_000, () => duty.turns >= 1);
    const before = duty.turns;
    world.ctx.wakeup.wake("lead-bell");
    await until("duty.turns > before", 20_000, () => duty.turns > before);
  });
});

describe("stopping", () => {
  it("waits for the turn under way, and none comes after it", async () => {
    let release = () => {};
    const { duty, stop } = start({
      everyMs: 1,
      wakeOn: "late",
      work: () => new Promise<boolean>((done) => (release = () => done(true))),
    });
    await until("duty.turns to be 1", 20_000, () => duty.turns === 1);
    let stopped = false;
    const stopping = stop().then(() => (stopped = true));
    world.ctx.wakeup.wake("late");
    expect(stopped).toBe(false);
    release();
    await stopping;
    const { duty: witness } = start({ everyMs: 1 });
    await until("witness.turns > 5", 20_000, () => witness.turns > 5);
    expect(duty.turns).toBe(1);
  });

  it("before the first turn leaves none", async () => {
    const { duty, stop } = start({ everyMs: 1_000 });
    await stop();
    const { duty: witness } = start({ everyMs: 1 });
    await until("witness.turns > 0", 20_000, () => witness.turns > 0);
    expect(duty.turns).toBe(0);
  });
});

function dueIn(name: string): number {
  return (world.ctx.state.dutyDueAt.get(name) ?? 0) - performance.now();
}
