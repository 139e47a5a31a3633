import { setTimeout as pause } from "node:timers/promises";
import { newOrder } from "../compare/order.mjs";
import { percentiles } from "../compare/percentiles.mjs";

const MAX_ORDERS = 1_000_000;
const MAX_WAIT_MS = 60_000;
const ASK_EVERY_MS = 250;

/**
 * After those of the warm-up, and continuing over all measurements, so that late or repeated requests are not
 * mistaken for others.
 */
let nextOrder = 10_000;

/** Triggers at a steady rate without waiting for responses. Returns how long each run took to reach the sink. */
export async function measureDispatch({ sink, rate, enqueue, describeRuns }, isOver) {
  sink.expect(MAX_ORDERS);
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
  if (nextOrder > MAX_ORDERS) throw new Error(`more than ${MAX_ORDERS} orders: use a lower --rate= or --secs=`);
  return { n: calls.length, ...percentiles(await allDelays(sink, calls.length, describeRuns)) };
}

async function allDelays(sink, expected, describeRuns) {
  const giveUpAt = performance.now() + MAX_WAIT_MS;
  for (;;) {
    const { delays } = await sink.report();
    if (delays.length >= expected) return delays;
    if (performance.now() > giveUpAt) {
      throw new Error(
        `only ${delays.length} of ${expected} runs were dispatched; the service has ${await describeRuns()}`,
      );
    }
    await pause(ASK_EVERY_MS);
  }
}
