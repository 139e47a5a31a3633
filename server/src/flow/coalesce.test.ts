import { setImmediate as immediate } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { until } from "../../test/world/until.ts";
import { coalesce } from "./coalesce.ts";

class ItemError extends Error {}

/** Records the batches; returns each item doubled, once its gate in `gates`, if any, is open. */
function doubling({
  max = 100,
  parallel = 1,
  flushIntervalMs = 0,
  whenBusy = undefined as { intervalMs: number; perSec: number; isUrgent: (item: number) => boolean } | undefined,
  bad = [] as number[],
  gates = [] as Promise<void>[],
} = {}) {
  const batches: number[][] = [];
  const coalescer = coalesce<number, number>({
    max,
    parallel,
    flushIntervalMs,
    ...(whenBusy && { whenBusy }),
    isCausedByItem: (error) => error instanceof ItemError,
    flush: async (items) => {
      const gate = gates[batches.length];
      batches.push(items);
      await (gate ?? immediate());
      if (items.some((item) => bad.includes(item))) throw new ItemError("bad item");
      return items.map((item) => item * 2);
    },
  });
  return { ...coalescer, batches, addAll: (items: number[]) => Promise.all(items.map(coalescer.add)) };
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);

/** A promise and its resolver. */
function gate(): { opened: Promise<void>; open: () => void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

/** Waits until this many batches are started, with every call that could join them. */
async function begun(batches: number[][], count: number): Promise<void> {
  await until(`${count} batches`, 20_000, () => batches.length >= count);
  for (let nth = 0; nth < 5; nth++) await immediate();
}

describe("concurrent calls", () => {
  it("share a batch if they arrive in one iteration of the event loop", async () => {
    const { addAll, batches } = doubling();
    expect(await addAll(upTo(50))).toEqual(upTo(50).map((item) => item * 2));
    expect(batches).toEqual([upTo(50)]);
  });

  it("that arrive while a batch is in flight form the next one, in order", async () => {
    const first = gate();
    const { add, addAll, batches, waiting } = doubling({ gates: [first.opened] });
    const early = add(1);
    await begun(batches, 1);
    const late = addAll([2, 3, 4]);
    await begun(batches, 1);
    expect([batches, waiting()]).toEqual([[[1]], 3]);
    first.open();
    expect([await early, await late]).toEqual([2, [4, 6, 8]]);
    expect([batches, waiting()]).toEqual([[[1], [2, 3, 4]], 0]);
  });

  it("do not wait if none is in flight", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const { add } = doubling();
    for (let n = 0; n < 20; n++) await add(n); // a timer would never fire
  });

  it("that arrive soon after a flush share the next, after the interval; the first does not wait", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const { add, addAll, batches } = doubling({ flushIntervalMs: 500 });
    await add(1);
    const late = addAll([2, 3]);
    vi.advanceTimersByTime(10);
    const last = add(4);
    vi.advanceTimersByTime(489);
    for (let nth = 0; nth < 5; nth++) await immediate();
    expect(batches).toEqual([[1]]);
    vi.advanceTimersByTime(1);
    expect([await late, await last, batches]).toEqual([[4, 6], 8, [[1], [2, 3, 4]]]);
  });

  it("wait longer while many arrive, unless one of them is urgent", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const whenBusy = { intervalMs: 300, perSec: 20, isUrgent: (item: number) => item > 100 };
    const { addAll, batches } = doubling({ flushIntervalMs: 100, whenBusy });
    const pass = async (ms: number) => {
      vi.advanceTimersByTime(ms);
      for (let nth = 0; nth < 5; nth++) await immediate();
      return batches.length;
    };
    void addAll([1]);
    await pass(0);
    void addAll([2, 3]); // two in 100 ms are 20 a second
    expect([await pass(99), await pass(1)]).toEqual([1, 2]);
    void addAll([4, 5, 6, 7, 8, 9]);
    expect([await pass(299), await pass(1)]).toEqual([2, 3]);
    void addAll([10]);
    await pass(50);
    void addAll([101]);
    expect([await pass(49), await pass(1)]).toEqual([3, 4]);
    expect(batches.at(-1)).toEqual([10, 101]);
    void addAll([11]); // the rate was 20 a second again
    expect([await pass(100), await pass(200)]).toEqual([4, 5]);
    void addAll([12]); // and is 3 a second now
    expect([await pass(99), await pass(1)]).toEqual([5, 6]);
  });

  it("are split by the maximum batch size, and none is lost", async () => {
    const { addAll, batches } = doubling({ max: 7 });
    expect(await addAll(upTo(30))).toEqual(upTo(30).map((item) => item * 2));
    expect(batches.map((batch) => batch.length)).toEqual([7, 7, 7, 7, 2]);
    expect(batches.flat()).toEqual(upTo(30));
  });

  it("are flushed with at most the allowed concurrency", async () => {
    const gates = [gate(), gate(), gate()];
    const { addAll, batches } = doubling({ max: 1, parallel: 2, gates: gates.map(({ opened }) => opened) });
    const all = addAll([1, 2, 3]);
    await begun(batches, 2);
    expect(batches).toEqual([[1], [2]]);
    gates[1]?.open();
    await begun(batches, 3);
    expect(batches).toEqual([[1], [2], [3]]);
    for (const { open } of gates) open();
    expect(await all).toEqual([2, 4, 6]);
  });

  it("each resolve after their own batch, not after all", async () => {
    const second = gate();
    const { add, batches } = doubling({ max: 1, gates: [Promise.resolve(), second.opened] });
    const responses: number[] = [];
    const both = [add(1), add(2)].map((each) => each.then((response) => responses.push(response)));
    await both[0];
    expect([responses, batches.length <= 2]).toEqual([[2], true]);
    second.open();
    await Promise.all(both);
    expect(responses).toEqual([2, 4]);
  });
});

describe("a failing batch", () => {
  it("fails only the item that caused it", async () => {
    const { add, batches } = doubling({ bad: [13] });
    const settled = await Promise.allSettled(upTo(64).map(add));
    expect(settled.map(({ status }) => status)).toEqual(
      upTo(64).map((item) => (item === 13 ? "rejected" : "fulfilled")),
    );
    // Halved each time: 1 + 2 × log2(64) flushes.
    expect(batches).toHaveLength(13);
  });

  it("fails only the several items that caused it, and keeps the order of the rest", async () => {
    const bad = [0, 3, 4, 9];
    const { add, batches } = doubling({ bad });
    const settled = await Promise.allSettled(upTo(10).map(add));
    expect(settled.flatMap(({ status }, item) => (status === "rejected" ? [item] : []))).toEqual(bad);
    const done = batches.filter((batch) => !batch.some((item) => bad.includes(item))).flat();
    expect(done).toEqual([1, 2, 5, 6, 7, 8]);
  });

  it("fails all items once for any other reason: it may have been committed", async () => {
    let flushes = 0;
    const { add } = coalesce<number, number>({
      max: 10,
      parallel: 1,
      flushIntervalMs: 0,
      isCausedByItem: () => false,
      flush: async () => {
        flushes++;
        throw new Error("the database is unreachable");
      },
    });
    const settled = await Promise.allSettled(upTo(5).map(add));
    expect(settled.map((each) => (each.status === "rejected" ? each.reason.message : ""))).toEqual(
      upTo(5).map(() => "the database is unreachable"),
    );
    expect(flushes).toBe(1);
  });

  it("does not stop the next: later calls are served", async () => {
    const { add } = doubling({ bad: [1] });
    await expect(add(1)).rejects.toThrow("bad item");
    expect(await add(2)).toBe(4);
  });

  it("leaves the items queued behind it in place", async () => {
    const first = gate();
    const { add, addAll, batches } = doubling({ bad: [1], gates: [first.opened] });
    const failing = add(1);
    await begun(batches, 1);
    const behind = addAll([2, 3]);
    first.open();
    await expect(failing).rejects.toThrow(ItemError);
    expect(await behind).toEqual([4, 6]);
  });
});
