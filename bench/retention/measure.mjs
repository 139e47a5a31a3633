import { setTimeout as pause } from "node:timers/promises";
import { startMeter } from "../compare/cpu-meter.mjs";
import { untilIdle } from "../compare/steps.mjs";
import { warmUpAndHold } from "../drain/measure.mjs";

const MAX_WAIT_MS = 120_000; // the task runs once a minute

/**
 * Drains a queue next to as many finished runs, which are kept or deleted during the whole measurement. The deletion
 * starts before and must not finish during it.
 */
export async function measure({ system, sink, n, seeded, isDeleting = false }) {
  await warmUpAndHold(system, sink);
  sink.expect(n);
  await system.fill(n);
  await system.seed.aged(seeded, isDeleting ? "2 hours" : "1 minute");
  if (isDeleting) await untilDeleting(system, seeded);
  const before = await system.countOld();
  const meter = startMeter({ ...system.pids, sink: sink.pid });
  await system.startWork();
  await sink.untilReceived();
  await untilIdle(system);
  const metered = meter.stop(n);
  const left = await system.countOld();
  if (isDeleting && left === 0) throw new Error("the deletion finished before the drain: seed more runs (--seeded=)");
  const { duplicates } = await sink.report();
  return { n, seeded, ...metered, duplicates, deleted_per_sec: Math.round((before - left) / metered.secs) };
}

async function untilDeleting(system, seeded) {
  const giveUpAt = performance.now() + MAX_WAIT_MS;
  while ((await system.countOld()) >= seeded) {
    if (performance.now() > giveUpAt) throw new Error("nothing is being deleted");
    await pause(50);
  }
}
