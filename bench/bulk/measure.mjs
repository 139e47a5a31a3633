import { startMeter } from "../compare/cpu-meter.mjs";
import { percentiles } from "../compare/percentiles.mjs";
import { assertStored, enqueueInBulk } from "../compare/steps.mjs";

const WARM_UP = 5_000;

/** Enqueues runs in bulk, as many per call as each system's API allows, while no worker is running. */
export async function measure({ system, sink, n }) {
  await enqueueInBulk(system, WARM_UP);

  const meter = startMeter({ ...system.pids, sink: sink.pid });
  const acks = await enqueueInBulk(system, n);
  const metered = meter.stop(n);

  await assertStored(system, WARM_UP + n);
  return { n, per_call: system.bulkSize, ...metered, ack_ms: percentiles(acks) };
}
