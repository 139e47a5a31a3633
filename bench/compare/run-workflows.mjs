import { closedLoop } from "./apply-load.mjs";
import { startMeter } from "./cpu-meter.mjs";
import { newOrder } from "./order.mjs";
import { percentiles } from "./percentiles.mjs";
import { untilIdle } from "./steps.mjs";

/** Runs workflows that each make several requests to the sink, until the last workflow has ended. */
export async function runWorkflows({ system, sink, n, start, steps, warmUp }) {
  await run({ system, sink, n: warmUp, start, steps });

  const meter = startMeter({ ...system.pids, sink: sink.pid });
  const acks = await run({ system, sink, n, start, steps });
  const metered = meter.stop(n);

  const { duplicates } = await sink.report();
  return { n, clients: system.clients, ...metered, ack_ms: percentiles(acks), duplicates };
}

async function run({ system, sink, n, start, steps }) {
  sink.expect(n, steps);
  const load = closedLoop(n, system.clients, (index) => start(newOrder(index)));
  const [acks] = await Promise.all([load, sink.untilReceived()]);
  await untilIdle(system);
  return acks;
}
