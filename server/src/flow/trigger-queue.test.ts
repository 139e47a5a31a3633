import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openTriggerQueue } from "./trigger-queue.ts";

const [FLOOD, SMALL, NEW] = ["flood", "small", "new"];

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A queue whose commits take `msEach` for each of their triggers. */
function openQueue({ msEach = 0, max_waiting = 1_000 } = {}) {
  const batches: number[] = [];
  const create = (items: { project_id: string }[]) =>
    new Promise<string[]>((resolve) => {
      batches.push(items.length);
      setTimeout(() => resolve(items.map(({ project_id }) => project_id)), items.length * msEach);
    });
  const queue = openTriggerQueue({ create, max_batch: 500, max_waiting });
  const added: Promise<string>[] = [];
  const addAll = (project_id: string, count: number) => {
    for (let nth = 0; nth < count; nth++) added.push(queue.add({ project_id }));
  };
  const ended = async () => (await Promise.all(added)).length;
  return { ...queue, addAll, ended, batches };
}

/** A commit of 60 triggers, which shows the pace, with these behind it. */
async function withPace(msEach: number, behind: Record<string, number>) {
  const queue = openQueue({ msEach });
  queue.addAll(FLOOD, 60);
  await vi.advanceTimersByTimeAsync(20);
  for (const [project_id, count] of Object.entries(behind)) queue.addAll(project_id, count);
  await vi.advanceTimersByTimeAsync(60 * msEach);
  return queue;
}

describe("a queue of triggers", () => {
  it("takes a burst of any size up to its bound while nothing shows that it would wait", async () => {
    const { add, addAll, isFullFor, ended } = openQueue({ msEach: 1 });
    addAll(FLOOD, 900);
    expect(isFullFor(FLOOD)).toBe(false);
    addAll(FLOOD, 100);
    expect([isFullFor(undefined), isFullFor(FLOOD), isFullFor(NEW)]).toEqual([true, true, true]);
    await expect(add({ project_id: NEW })).rejects.toThrow("Too many triggers");
    await vi.runAllTimersAsync();
    expect(await ended()).toBe(1_000);
    expect(isFullFor(FLOOD)).toBe(false);
  });

  it("refuses a project whose triggers would wait for half a second, and no other", async () => {
    const { isFullFor, ended } = await withPace(5, { [FLOOD]: 130, [SMALL]: 10 });
    expect([isFullFor(undefined), isFullFor(FLOOD), isFullFor(SMALL), isFullFor(NEW)]).toEqual([
      false,
      true,
      false,
      false,
    ]);
    await vi.runAllTimersAsync();
    expect(await ended()).toBe(200);
    expect(isFullFor(FLOOD)).toBe(false);
  });

  it("takes them where the commits are quick enough", async () => {
    const { isFullFor } = await withPace(1, { [FLOOD]: 300 });
    expect(isFullFor(FLOOD)).toBe(false);
  });

  it("sees that a commit takes long before it has ended", async () => {
    const { addAll, isFullFor } = openQueue({ msEach: 10 });
    addAll(FLOOD, 60);
    await vi.advanceTimersByTimeAsync(20);
    addAll(FLOOD, 90);
    expect(isFullFor(FLOOD)).toBe(false);
    await vi.advanceTimersByTimeAsync(300);
    expect([isFullFor(FLOOD), isFullFor(NEW)]).toEqual([true, false]);
  });

  it("does not take the pace of a few triggers for that of many, nor an old one for today's", async () => {
    const { addAll, isFullFor, batches } = openQueue({ msEach: 10 });
    addAll(FLOOD, 10);
    await vi.runAllTimersAsync();
    addAll(FLOOD, 150);
    expect([isFullFor(FLOOD), batches]).toEqual([false, [10]]);
    await vi.runAllTimersAsync();
    await vi.advanceTimersByTimeAsync(20_000);
    addAll(FLOOD, 150);
    expect(isFullFor(FLOOD)).toBe(false);
  });

  it("forgets triggers that failed", async () => {
    const create = () => Promise.reject(new Error("down"));
    const { add, isFullFor } = openTriggerQueue({ create, max_batch: 500, max_waiting: 3 });
    const all = Promise.allSettled([FLOOD, FLOOD, SMALL].map((project_id) => add({ project_id })));
    expect(isFullFor(NEW)).toBe(true);
    await vi.runAllTimersAsync();
    expect((await all).map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    expect(isFullFor(FLOOD)).toBe(false);
  });
});
