import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

const MAX_STALL_MS = 30_000;

/**
 * Starts the sink in its own process, which exits with ours. It reports progress every second, and when everything
 * has arrived.
 */
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

  /** Starts counting orders 0 … n − 1, each with `steps` steps. */
  function expect(n, steps = 1) {
    child.send({ expect: n, steps });
    turns++;
    expected = n * steps;
    received = 0;
  }

  /** Waits until every expected order has arrived. Fails if none arrives for a long time. */
  async function untilReceived() {
    movedAt = performance.now();
    while (received < expected) {
      if (performance.now() - movedAt > MAX_STALL_MS) {
        throw new Error(`only ${received} of ${expected} requests arrived before they stopped`);
      }
      await once(child, "message");
    }
  }

  /** Number of duplicate orders, and the delay of each order since its `sent_at`. */
  function report() {
    child.send({ report: true });
    // Listens permanently: a message between two calls of `once` would be lost.
    return new Promise((resolve) => {
      child.on("message", ({ report }) => report && resolve(report));
    });
  }

  return { url, pid: child.pid, expect, untilReceived, report, stop: () => child.disconnect() };
}
