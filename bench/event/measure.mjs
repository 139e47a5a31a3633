import { setTimeout as pause } from "node:timers/promises";
import { closedLoop, openLoop } from "../compare/apply-load.mjs";
import { startMeter } from "../compare/cpu-meter.mjs";
import { newOrder } from "../compare/order.mjs";
import { percentiles } from "../compare/percentiles.mjs";
import { untilIdle } from "../compare/steps.mjs";

export const as = "workflows";

const WARM_UP = 500;
const LONGEST_WAIT_MS = 60_000;
/** What a system does once a workflow waits (Restate puts it to sleep) is done before the clock runs. */
const REST_MS = 1_000;

/** Workflows wait, each for an event of its own; the events come at a steady rate, answered or not. */
export async function measure({ system, sink, n, per_second }) {
  await sendEvents({ system, sink, name: "warm-up", n: WARM_UP, perSecond: per_second });
  const sent = await sendEvents({ system, sink, name: "order", n, perSecond: per_second });
  const { delays, duplicates, acks, metered } = sent;
  return { n, per_second, ...metered, start_ms: percentiles(delays), ack_ms: percentiles(acks), duplicates };
}

/** Each under a name of its own, which the peers know for good: those of the warm-up are not used again. */
async function sendEvents({ system, sink, name, n, perSecond }) {
  await closedLoop(n, system.clients, (index) => system.startWait({ ...newOrder(index), event: `${name}-${index}` }));
  await untilWaiting(system, n);
  await pause(REST_MS);

  sink.expect(n);
  const meter = startMeter({ ...system.pids, sink: sink.pid });
  const load = openLoop(n, perSecond, (index) => system.sendEvent(`${name}-${index}`, { sent_at: now() }));
  const [acks] = await Promise.all([load, sink.untilReceived()]);
  const metered = meter.stop(n);
  await untilIdle(system);
  return { ...(await sink.report()), acks, metered };
}

function now() {
  return performance.timeOrigin + performance.now();
}

async function untilWaiting(system, n) {
  const giveUpAt = performance.now() + LONGEST_WAIT_MS;
  while ((await system.countWaiting()) < n) {
    if (performance.now() > giveUpAt) throw new Error(`${await system.countWaiting()} of ${n} workflows wait`);
    await pause(20);
  }
}
