import { startMeter } from "../compare/cpu-meter.mjs";
import { untilIdle, warmUp } from "../compare/steps.mjs";

/** Drains a full queue over HTTP. */
export async function measure({ system, sink, n }) {
  await warmUpAndHold(system, sink);
  return drain({ system, sink, n });
}

export async function warmUpAndHold(system, sink) {
  await system.startWork();
  await warmUp(system, sink);
  await system.stopWork();
}

/** Measures from the call that starts the workers until the last run has ended. */
export async function drain({ system, sink, n }) {
  sink.expect(n);
  await system.fill(n);
  const meter = startMeter({ ...system.pids, sink: sink.pid });
  await system.startWork();
  await sink.untilReceived();
  await untilIdle(system);
  const metered = meter.stop(n);

  const { duplicates } = await sink.report();
  return { n, ...metered, duplicates };
}
