import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { monitorEventLoopDelay } from "node:perf_hooks";

// Loaded into the service before it starts (`--import`). Reports how long the event loop was blocked since the last
// request: in wall time, and in CPU time, which excludes the time that other processes took.
const EVERY_MS = 2;
const delay = monitorEventLoopDelay({ resolution: 5 });
delay.enable();
let [longest, at, used] = [0, performance.now(), cpuMs()];

setInterval(() => {
  longest = Math.max(longest, Math.min(performance.now() - at - EVERY_MS, cpuMs() - used));
  [at, used] = [performance.now(), cpuMs()];
}, EVERY_MS).unref();

/** CPU time of the event loop's thread on Linux; elsewhere of the process, including garbage collector threads. */
function cpuMs() {
  try {
    return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, "utf8").split(" ")[0]) / 1e6;
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  }
}

createServer((_, response) => {
  response.end(JSON.stringify({ held_ms: longest, clock_ms: delay.max / 1e6, p99_ms: delay.percentile(99) / 1e6 }));
  longest = 0;
  delay.reset();
})
  .listen(Number(process.env.EVENT_LOOP_WATCH_PORT), "127.0.0.1")
  .unref();
