import { setTimeout as pause } from "node:timers/promises";
import { closedLoop, openLoop } from "../compare/apply-load.mjs";
import { startMeter } from "../compare/cpu-meter.mjs";
import { newOrder } from "../compare/order.mjs";
import { percentiles } from "../compare/percentiles.mjs";
import { untilIdle } from "../compare/steps.mjs";

export const as = "workflows";

const WARM_UP = 500;
const MAX_WAIT_MS = 60_000;
/** Lets a system finish its work after a workflow starts to wait (Restate suspends it). */
const REST_MS = 1_000;

/** Workflows wait, each for its own event; events are sent at a steady rate without waiting for responses. */
export async function measure({ system, sink, n, per_second }) {
  await sendEvents({ system, sink, name: "warm-up", n: WARM_UP, perSecond: per_second });
  const sent = await sendEvents({ system, sink, name: "order", n, perSecond: per_second });
  const { delays, duplicates, acks, metered } = sent;
  return { n, per_second, ...metered, start_ms: percentiles(delays), ack_ms: percentiles(acks), duplicates };
}

/** Each event has its own name, because peers remember names forever; those of the warm-up are not reused. */
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
  const giveUpAt = performance.now() + MAX_WAIT_MS;
  while ((await system.countWaiting()) < n) {
    if (performance.now() > giveUpAt) throw new Error(`${await system.countWaiting()} of ${n} workflows are waiting`);
    await pause(20);
  }
}
