import { closedLoop } from "../compare/apply-load.mjs";
import { startMeter } from "../compare/cpu-meter.mjs";
import { newOrder } from "../compare/order.mjs";
import { percentiles } from "../compare/percentiles.mjs";
import { untilIdle, warmUp } from "../compare/steps.mjs";

const CLIENTS = 32;
/** With 32 clients Restate is idle half of the time, because it trades the latency of single calls for batches. */
const CLIENTS_OF_RESTATE = 128;

/**
 * Each client starts a run, waits for the acknowledgement and starts the next, until the last run has been dispatched
 * and ended.
 */
export async function measure({ name, system, sink, n }) {
  const clients = name === "restate" ? CLIENTS_OF_RESTATE : CLIENTS;
  await system.startWork();
  await warmUp(system, sink);

  sink.expect(n);
  const meter = startMeter({ ...system.pids, sink: sink.pid });
  const load = closedLoop(n, clients, (index) => system.enqueue(newOrder(index)));
  const [acks] = await Promise.all([load, sink.untilReceived()]);
  await untilIdle(system);
  const metered = meter.stop(n);

  const { duplicates } = await sink.report();
  return { n, clients, ...metered, ack_ms: percentiles(acks), duplicates };
}
