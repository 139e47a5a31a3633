import { performance } from "node:perf_hooks";
import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import { VERSION } from "../version.ts";

const LAG_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const SAMPLE_EVERY_MS = 500;

/** Metrics of this process, read at scrape time. */
export function processMetrics(registry: Registry): { sampleLag: () => () => void } {
  const registers = [registry];
  const total = (name: string, help: string, read: () => number) =>
    new Counter({
      ...{ name, help, registers },
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  const reading = (name: string, help: string, read: () => number) =>
    new Gauge({
      ...{ name, help, registers },
      collect() {
        this.set(read());
      },
    });
  total("millrace_process_cpu_seconds_total", "CPU time of this process.", readCpuSeconds);
  total("millrace_event_loop_active_seconds_total", "Time in which the event loop was not idle.", readActiveSeconds);
  reading("millrace_process_resident_memory_bytes", "Memory of this process.", () => process.memoryUsage.rss());
  reading("millrace_process_start_time_seconds", "When this process started.", () => performance.timeOrigin / 1_000);
  new Gauge({
    ...{ name: "millrace_build_info", help: "Version of this instance.", labelNames: ["version", "node"], registers },
  }).set({ version: VERSION, node: process.versions.node }, 1);
  const lag = new Histogram({
    ...{ name: "millrace_event_loop_lag_seconds", help: "How late timers fire.", buckets: LAG_SECONDS, registers },
  });
  return { sampleLag: () => sampleLag((seconds) => lag.observe(seconds)) };
}

function readCpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000_000;
}

/** A total instead of a share, so that several scrapers do not disturb each other. */
function readActiveSeconds(): number {
  return performance.eventLoopUtilization().active / 1_000;
}

/** Two timers a second: `monitorEventLoopDelay` would wake an idle process fifty times. Returns how to stop it. */
function sampleLag(observe: (seconds: number) => void): () => void {
  let dueAt = performance.now() + SAMPLE_EVERY_MS;
  const timer = setInterval(() => {
    const now = performance.now();
    observe(Math.max(0, now - dueAt) / 1_000);
    dueAt = now + SAMPLE_EVERY_MS;
  }, SAMPLE_EVERY_MS).unref();
  return () => clearInterval(timer);
}
