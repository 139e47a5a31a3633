import { afterEach, describe, expect, it, vi } from "vitest";
import {
  beginWork,
  hasTakenLong,
  inSlices,
  isSliceOver,
  runSync,
  runSyncOrInSlices,
  yieldToEventLoop,
} from "./time-slices.ts";

afterEach(() => vi.restoreAllMocks());

/** A fake clock that the work advances. */
function fakeClock() {
  const clock = { ms: performance.now() };
  vi.spyOn(performance, "now").mockImplementation(() => clock.ms);
  return clock;
}

/** Counts turns of the event loop. */
function countTurns() {
  const counted = { turns: 0, isOver: false };
  const turn = () => {
    counted.turns++;
    if (!counted.isOver) setImmediate(turn);
  };
  setImmediate(turn);
  return counted;
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe("work in slices", () => {
  it("yields once its time slice is used up, and not before", async () => {
    await nextTurn();
    const clock = fakeClock();
    const counted = countTurns();
    const seen: number[] = [];
    function* work(): Generator<void, string> {
      for (let i = 0; i < 9; i++) {
        clock.ms += 1;
        seen.push(counted.turns);
        yield;
      }
      return "done";
    }
    expect(await inSlices(work())).toBe("done");
    counted.isOver = true;
    const turns = seen.map((turn) => turn - (seen[0] ?? 0));
    expect(turns.slice(0, 3)).toEqual([0, 0, 0]); // 1, 2, 3 ms
    expect(turns[3]).toBeGreaterThan(0);
    expect(new Set(turns).size).toBe(3);
  });

  it("counts time that other work took from the same turn, and gives each turn to one waiter", async () => {
    await nextTurn();
    const clock = fakeClock();
    const counted = countTurns();
    beginWork();
    clock.ms += 20; // a body was parsed
    const turns = await Promise.all(
      [1, 2, 3].map(async () => {
        await yieldToEventLoop();
        clock.ms += 20;
        return counted.turns;
      }),
    );
    counted.isOver = true;
    expect(turns).toEqual([...turns].sort((a, b) => a - b));
    expect(new Set(turns).size).toBe(3);
  });

  it("started concurrently, each checks the slice right before its work", async () => {
    await nextTurn();
    const clock = fakeClock();
    const counted = countTurns();
    const turns = await Promise.all(
      Array.from({ length: 9 }, async () => {
        while (isSliceOver()) await yieldToEventLoop();
        clock.ms += 5;
        return counted.turns;
      }),
    );
    counted.isOver = true;
    const max = Math.max(...turns.map((turn) => turns.filter((other) => other === turn).length));
    expect(max).toBe(2); // 5, 10 ms
  });

  it("resumes a waiter in every second turn, although other code uses up every turn", async () => {
    await nextTurn();
    const clock = fakeClock();
    let isOver = false;
    const keepBusy = () => {
      beginWork();
      clock.ms += 50;
      if (!isOver) setImmediate(keepBusy);
    };
    keepBusy();
    const counted = countTurns();
    const turns = await Promise.all(
      [1, 2, 3].map(async () => {
        await yieldToEventLoop();
        clock.ms += 20;
        return counted.turns;
      }),
    );
    isOver = counted.isOver = true;
    expect(turns.map((turn) => turn - (turns[0] ?? 0))).toEqual([0, 2, 4]);
  });

  it("leaves out a turn that other code has used up before the waiters are resumed", async () => {
    const turnWith = async (othersMs: number) => {
      await nextTurn();
      const clock = fakeClock();
      const counted = countTurns();
      beginWork();
      clock.ms += 20;
      const waiting = inSlices(turnOf(counted));
      // Runs after the waiter's turn was scheduled, as when a row of a megabyte arrives.
      setImmediate(() => {
        clock.ms += othersMs;
      });
      const turn = await waiting;
      counted.isOver = true;
      return turn;
    };
    const [free, used] = [await turnWith(9), await turnWith(30)];
    expect(used).toBe(free + 1);
  });

  it("lets a part of sliced work begin only early in a turn: it may take long itself", async () => {
    await nextTurn();
    const clock = fakeClock();
    const counted = countTurns();
    beginWork();
    clock.ms += 4;
    const turn = await inSlices(turnOf(counted));
    counted.isOver = true;
    expect(turn).toBeGreaterThan(0);
  });

  it("continues with the waiters behind a part that throws", async () => {
    await nextTurn();
    const clock = fakeClock();
    beginWork();
    clock.ms += 20;
    const settled = await Promise.allSettled([
      inSlices(taking(clock, 5)),
      inSlices(failing()),
      inSlices(taking(clock, 5)),
    ]);
    expect(settled.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    beginWork();
    clock.ms += 20;
    expect(await inSlices(taking(clock, 5))).toBe(5);
  });

  it("resumes every waiter although no other code runs, and although each waits again when it is resumed", async () => {
    await nextTurn();
    const clock = fakeClock();
    const parts = Array.from({ length: 60 }, (_, i) => 1 + (i % 7));
    const done = await Promise.all(
      parts.map(async (ms, i) => {
        if (i % 3 === 0) await yieldToEventLoop();
        return inSlices(taking(clock, ms));
      }),
    );
    expect(done).toEqual(parts);
  });

  function* taking(clock: { ms: number }, ms: number): Generator<void, number> {
    for (let i = 0; i < 4; i++) {
      clock.ms += ms;
      yield;
    }
    return ms;
  }

  // biome-ignore lint/correctness/useYield: throws before its first yield
  function* failing(): Generator<void, number> {
    throw new Error("a part that throws");
  }

  function* turnOf(counted: { turns: number }): Generator<void, number> {
    yield;
    return counted.turns;
  }
});

describe("work that seldom yields", () => {
  function* yielding(times: number): Generator<void, number> {
    for (let i = 0; i < times; i++) yield;
    return times;
  }

  it("returns its result without a promise if it does not yield", async () => {
    expect(runSyncOrInSlices(yielding(0))).toBe(0);
    const later = runSyncOrInSlices(yielding(2));
    expect(later).toBeInstanceOf(Promise);
    expect(await later).toBe(2);
    expect(runSync(yielding(2))).toBe(2);
  });

  it("has taken long only if the time since beginWork exceeds a slice", async () => {
    await nextTurn();
    await nextTurn();
    const clock = fakeClock();
    clock.ms += 20;
    expect(hasTakenLong()).toBe(false);
    beginWork();
    clock.ms += 10;
    expect(hasTakenLong()).toBe(true);
  });
});
