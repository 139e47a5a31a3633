import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

const LONGEST_STALL_MS = 30_000;

/** The sink as a process of its own, which ends with ours. It tells each second how many have come, and when all have. */
export async function startSink() {
  const child = fork(join(import.meta.dirname, "sink.mjs"));
  const [{ url }] = await once(child, "message");
  let turns = 0;
  let expected = 0;
  let received = 0;
  let movedAt = 0;
  child.on("message", ({ turn, received: count }) => {
    if (turn !== turns || count === received) return;
    received = count;
    movedAt = performance.now();
  });

  /** From now on, orders 0 … n − 1 are counted, each with so many steps. */
  function expect(n, steps = 1) {
    child.send({ expect: n, steps });
    turns++;
    expected = n * steps;
    received = 0;
  }

  /** Until each expected order has come. Refuses to wait when for long none came. */
  async function untilReceived() {
    movedAt = performance.now();
    while (received < expected) {
      if (performance.now() - movedAt > LONGEST_STALL_MS) {
        throw new Error(`only ${received} of ${expected} requests arrived, and no more come`);
      }
      await once(child, "message");
    }
  }

  /** How often an order came twice, and how long each took from its `sent_at`. */
  function report() {
    child.send({ report: true });
    // Listening all the time: between two calls of `once` it could pass by unheard, behind a count.
    return new Promise((resolve) => {
      child.on("message", ({ report }) => report && resolve(report));
    });
  }

  return { url, pid: child.pid, expect, untilReceived, report, stop: () => child.disconnect() };
}
