import { setImmediate as immediate } from "node:timers/promises";
import { pino } from "pino";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { Ctx } from "../context.ts";
import { newAbortHandle } from "../outgoing/abort-handle.ts";
import { openWorkerPool, type PoolItem, type PoolWork, type Remaining } from "./worker-pool.ts";

const ctx = { log: pino({ level: "silent" }) } as unknown as Ctx;

type Item = PoolItem & { id: number };
type Outcome = "sent" | "aborted";

/** A pool over an array of ids. Sends end when the test says so, or when they are aborted. */
function open(options: Partial<PoolWork<Item, Outcome>> & { slots?: number } = {}) {
  const queue: number[] = [];
  const log = { claims: 0, sending: new Set<number>(), most: 0, settled: [] as [number, Outcome][] };
  const respond = new Map<number, () => void>();
  const slots = options.slots ?? 2;
  const pool = openWorkerPool<Item, Outcome>(ctx, {
    name: "tests",
    slots,
    claim: async (): Promise<Remaining> => {
      log.claims++;
      await immediate();
      const room = slots - pool.held.size;
      for (const id of queue.splice(0, room)) pool.take({ id, abortHandle: newAbortHandle() });
      return queue.length > 0 ? "more_later" : "nothing";
    },
    send: ({ id, abortHandle }) => {
      if (abortHandle.isAborted) return "aborted";
      log.sending.add(id);
      log.most = Math.max(log.most, log.sending.size);
      return new Promise((resolve) => {
        const end = (outcome: Outcome) => {
          log.sending.delete(id);
          resolve(outcome);
        };
        abortHandle.onAbort = () => end("aborted");
        respond.set(id, () => end("sent"));
      });
    },
    settle: async ({ id }, outcome) => void log.settled.push([id, outcome]),
    freesSlot: "when_settled",
    ...options,
  });
  return { pool, queue, log, respond: (id: number) => respond.get(id)?.() };
}

async function steps(): Promise<void> {
  for (let nth = 0; nth < 10; nth++) await immediate();
}

const take = (id: number): Item => ({ id, abortHandle: newAbortHandle() });

describe("a pool", () => {
  it("sends no more at once than it has slots, and claims the next when one has ended", async () => {
    const { pool, queue, log, respond } = open({ slots: 3 });
    queue.push(1, 2, 3, 4, 5, 6, 7);
    pool.wake();
    for (let id = 1; id <= 7; id++) {
      await steps();
      expect([...log.sending]).toContain(id);
      respond(id);
    }
    await pool.idle();
    expect([log.most, log.settled.length]).toEqual([3, 7]);
  });

  it("starts items taken beyond its slots in order, as slots become free", async () => {
    const { pool, log, respond } = open({ slots: 1, freesSlot: "when_sent" });
    for (const id of [1, 2, 3]) pool.take(take(id));
    expect([[...log.sending], pool.load]).toEqual([[1], { active: 1, queued: 2 }]);
    respond(1);
    await steps();
    expect([[...log.sending], pool.load]).toEqual([[2], { active: 1, queued: 1 }]);
    respond(2);
    await steps();
    respond(3);
    await pool.idle();
    expect(log.settled.map(([id]) => id)).toEqual([1, 2, 3]);
  });

  it("frees a slot when an item is sent, or only when its result is written", async () => {
    for (const [freesSlot, active] of [["when_sent", 0] as const, ["when_settled", 1] as const]) {
      let write = () => {};
      const settle = () => new Promise<void>((resolve) => (write = resolve));
      const { pool, respond } = open({ freesSlot, settle });
      pool.take(take(1));
      respond(1);
      await steps();
      expect([pool.load.active, pool.held.size]).toEqual([active, 1]);
      write();
      await pool.idle();
      expect([pool.load.active, pool.held.size]).toEqual([0, 0]);
    }
  });

  it("claims one batch at a time, and once more for any number of wake-ups during a claim", async () => {
    const { pool, log } = open();
    for (let nth = 0; nth < 5; nth++) pool.wake();
    expect(log.claims).toBe(1);
    await pool.idle();
    expect(log.claims).toBe(2);
    await steps();
    expect(log.claims).toBe(2);
  });

  it("loses no wake-up: work that arrives after a claim has read, and before it returns, is claimed", async () => {
    const { pool, queue, log, respond } = open({
      claim: async (): Promise<Remaining> => {
        const found = queue.splice(0);
        if (log.claims++ === 0) {
          queue.push(1);
          pool.wake();
        }
        await immediate();
        for (const id of found) pool.take(take(id));
        return "nothing";
      },
    });
    pool.wake();
    await steps();
    expect([...log.sending]).toEqual([1]);
    respond(1);
    await pool.idle();
  });

  it("claims again if a slot became free during a claim that found none", async () => {
    const { pool, log, respond } = open({
      slots: 5,
      claim: async (): Promise<Remaining> => {
        const isFull = pool.held.size > 0;
        if (log.claims++ === 0) respond(1);
        await steps();
        return isFull ? "more_later" : "nothing";
      },
    });
    pool.take(take(1));
    pool.wake();
    await pool.idle();
    expect(log.claims).toBe(2);
  });

  it("does not claim without a wake-up, whatever ends", async () => {
    const { pool, log, respond } = open();
    pool.take(take(1));
    respond(1);
    await pool.idle();
    expect(log.claims).toBe(0);
  });

  it("reports a failed claim to the poller, and claims again at the next wake-up", async () => {
    const { pool, log } = open({
      claim: async (): Promise<Remaining> => {
        if (log.claims++ === 0) throw new Error("not today");
        return "nothing";
      },
    });
    await expect(pool.poll()).rejects.toThrow("not today");
    await pool.poll();
    expect(log.claims).toBe(2);
  });

  it("frees the slot of an item that fails", async () => {
    const { pool, log } = open({
      slots: 1,
      send: ({ id }) => {
        if (id === 1) throw new Error("not today");
        return "sent";
      },
    });
    pool.take(take(1));
    pool.take(take(2));
    await pool.idle();
    expect([log.settled, pool.load]).toEqual([[[2, "sent"]], { active: 0, queued: 0 }]);
  });
});

describe("draining", () => {
  it("claims no more, releases unsent items at once, and waits for those being sent", async () => {
    const { pool, queue, log, respond } = open({ slots: 1, freesSlot: "when_sent" });
    for (const id of [1, 2, 3]) pool.take(take(id));
    queue.push(4);
    let isDrained = false;
    const drained = pool.drain(60_000).then(() => (isDrained = true));
    pool.wake();
    await steps();
    expect([log.settled, isDrained, log.claims]).toEqual([
      [
        [2, "aborted"],
        [3, "aborted"],
      ],
      false,
      0,
    ]);
    respond(1);
    await drained;
    expect(log.settled.at(-1)).toEqual([1, "sent"]);
    expect(queue).toEqual([4]);
  });

  it("aborts what is still being sent after the grace period", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const { pool, log } = open();
    pool.take(take(1));
    const drained = pool.drain(5_000);
    await steps();
    vi.advanceTimersByTime(4_999);
    await steps();
    expect([...log.sending]).toEqual([1]);
    vi.advanceTimersByTime(1);
    await drained;
    expect(log.settled).toEqual([[1, "aborted"]]);
  });

  it("waits for the claim in progress, and releases what it claimed after the grace period", async () => {
    const { pool, queue, log } = open();
    queue.push(1);
    pool.wake();
    await pool.drain(0);
    expect([log.settled, log.claims]).toEqual([[[1, "aborted"]], 1]);
  });
});
