import { runWorkflows } from "../compare/run-workflows.mjs";

export const as = "workflows";

const STEPS = 11;
const WARM_UP = 200;

/** Each client starts a workflow; ten requests to the sink at once, and an eleventh when all are answered. */
export function measure({ system, sink, n }) {
  return runWorkflows({ system, sink, n, start: system.startFan, steps: STEPS, warmUp: WARM_UP });
}
