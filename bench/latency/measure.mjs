import { openLoop } from "../compare/apply-load.mjs";
import { startMeter } from "../compare/cpu-meter.mjs";
import { newOrder } from "../compare/order.mjs";
import { percentiles } from "../compare/percentiles.mjs";
import { warmUp } from "../compare/steps.mjs";

/**
 * Measures from just before the enqueuing call until the sink receives the request. Calls are made at a steady rate
 * without waiting for responses.
 */
export async function measure({ system, sink, n, per_second }) {
  await system.startWork();
  await warmUp(system, sink);

  sink.expect(n);
  const meter = startMeter({ ...system.pids, sink: sink.pid });
  const load = openLoop(n, per_second, (index) => system.enqueue(newSentOrder(index)));
  const [acks] = await Promise.all([load, sink.untilReceived()]);
  const metered = meter.stop(n);

  const { delays, duplicates } = await sink.report();
  return { n, per_second, ...metered, start_ms: percentiles(delays), ack_ms: percentiles(acks), duplicates };
}

function newSentOrder(index) {
  return { ...newOrder(index), sent_at: performance.timeOrigin + performance.now() };
}
