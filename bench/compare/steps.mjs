import { setTimeout as pause } from "node:timers/promises";
import { closedLoop } from "./apply-load.mjs";
import { newOrder, newOrders } from "./order.mjs";

/** Without a warm-up, the first thousands of calls would mostly measure Node's compiler: twice the CPU time per run. */
const WARM_UP = 5_000;
const CALLS_IN_FLIGHT = 4;
const MAX_WAIT_MS = 60_000;

/** Runs enough orders through the system to warm up the code. */
export async function warmUp(system, sink, n = WARM_UP) {
  sink.expect(n);
  const load = closedLoop(n, 32, (index) => system.enqueue(newOrder(index)));
  await Promise.all([load, sink.untilReceived()]);
  await untilIdle(system);
}

/** Enqueues orders 0 … n − 1 in bulk, several calls at a time. */
export function enqueueInBulk(system, n) {
  const { bulkSize } = system;
  return closedLoop(Math.ceil(n / bulkSize), CALLS_IN_FLIGHT, (index) =>
    system.bulk(newOrders(index * bulkSize, Math.min(n, (index + 1) * bulkSize))),
  );
}

/** Polls only after the last run has reached the sink, so that polling does not disturb the measurement. */
export async function untilIdle(system) {
  const giveUpAt = performance.now() + MAX_WAIT_MS;
  while ((await system.countUnfinished()) > 0) {
    if (performance.now() > giveUpAt) throw new Error(`${await system.countUnfinished()} runs have not ended`);
    await pause(5);
  }
}

/** Acknowledged runs that are not stored would make any rate worthless. */
export async function assertStored(system, n) {
  const stored = await system.countUnfinished();
  if (stored !== n) throw new Error(`${n} runs were acknowledged, ${stored} are stored`);
}
