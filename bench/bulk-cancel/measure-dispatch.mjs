import { setTimeout as pause } from "node:timers/promises";
import { newOrder } from "../compare/order.mjs";
import { percentiles } from "../compare/percentiles.mjs";

const MOST_ORDERS = 1_000_000;
const LONGEST_WAIT_MS = 60_000;
const ASK_EVERY_MS = 250;

/** Behind those of the warm-up, and on over all measurements: one that comes late, or once more, is taken for no other. */
let nextOrder = 10_000;

/** Triggers at a steady rate, answered or not, until it is over; gives how long each took to reach the sink. */
export async function measureDispatch({ sink, rate, enqueue, tellRuns }, isOver) {
  sink.expect(MOST_ORDERS);
  const calls = [];
  let over = false;
  const asking = (async () => {
    while (!over) {
      over = await isOver();
      if (!over) await pause(ASK_EVERY_MS);
    }
  })();
  const startedAt = performance.now();
  for (let index = 0; !over; index++) {
    const early = startedAt + (index * 1_000) / rate - performance.now();
    if (early > 0) await pause(early);
    calls.push(enqueue({ ...newOrder(nextOrder++), sent_at: performance.timeOrigin + performance.now() }));
  }
  await Promise.all([...calls, asking]);
  if (nextOrder > MOST_ORDERS) throw new Error(`more than ${MOST_ORDERS} orders: fewer at once (--rate=, --secs=)`);
  return { n: calls.length, ...percentiles(await allDelays(sink, calls.length, tellRuns)) };
}

async function allDelays(sink, expected, tellRuns) {
  const giveUpAt = performance.now() + LONGEST_WAIT_MS;
  for (;;) {
    const { delays } = await sink.report();
    if (delays.length >= expected) return delays;
    if (performance.now() > giveUpAt) {
      throw new Error(`only ${delays.length} of ${expected} runs were dispatched; the service has ${await tellRuns()}`);
    }
    await pause(ASK_EVERY_MS);
  }
}
