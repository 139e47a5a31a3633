import { setTimeout as pause } from "node:timers/promises";
import { perItem, readWork } from "../census/read-work.mjs";
import { readThreads } from "../versions/cpu-of-threads.mjs";

/** The statistics of a session follow within a second. */
const STATISTICS_MS = 1_500;

/** Measures the CPU time of some work in microseconds, and its statements, those that took longest first. */
export function openMeter({ pids, client }) {
  return async (work) => {
    await pause(STATISTICS_MS);
    const [cpu, { statements }, startedAt] = [readThreads(pids), await readWork(client), performance.now()];
    await work();
    const secs = (performance.now() - startedAt) / 1_000;
    const after = readThreads(pids);
    await pause(STATISTICS_MS);
    const done = perItem(statements, (await readWork(client)).statements, 1).filter(({ calls }) => calls > 0);
    return {
      secs,
      cpu: mapOf(after, (us, name) => us - cpu[name]),
      statements: done.map((each) => ({ ...each, us: each.exec_us + each.plan_us })).sort((a, b) => b.us - a.us),
    };
  };
}

export function mapOf(values, change) {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value, name)]));
}

export function round(value) {
  return Number(value.toFixed(1));
}
