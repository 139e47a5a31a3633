import { closedLoop } from "../compare/apply-load.mjs";
import { startMeter } from "../compare/cpu-meter.mjs";
import { newOrder } from "../compare/order.mjs";
import { percentiles } from "../compare/percentiles.mjs";
import { assertStored } from "../compare/steps.mjs";

const CLIENTS = 32;
const WARM_UP = 1_000;

/**
 * Makes single calls while no worker is running: Millrace's job is paused, the libraries have no worker, Restate's
 * calls are delayed.
 */
export async function measure({ system, sink, n }) {
  await closedLoop(WARM_UP, CLIENTS, (index) => system.enqueue(newOrder(index)));

  const meter = startMeter({ ...system.pids, sink: sink.pid });
  const acks = await closedLoop(n, CLIENTS, (index) => system.enqueue(newOrder(index)));
  const metered = meter.stop(n);

  await assertStored(system, WARM_UP + n);
  return { n, clients: CLIENTS, ...metered, ack_ms: percentiles(acks) };
}
