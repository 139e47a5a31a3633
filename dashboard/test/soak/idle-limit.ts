import { availableParallelism, loadavg } from "node:os";
import { SLOWNESS } from "../open-dashboard.ts";

/**
 * A duration that holds on an idle machine, longer by as much as programs wait for the processors now. So a slower page
 * fails on any machine, and another program fails no page.
 */
export function idleLimit(ms: number): number {
  const [lastMinute = 0] = loadavg();
  return ms * SLOWNESS * Math.max(1, lastMinute / availableParallelism());
}
