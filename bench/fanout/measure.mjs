import { runWorkflows } from "../compare/run-workflows.mjs";

export const as = "workflows";

const STEPS = 11;
const WARM_UP = 200;

/** Each client starts a workflow with ten concurrent requests to the sink, and an eleventh after all responses. */
export function measure({ system, sink, n }) {
  return runWorkflows({ system, sink, n, start: system.startFan, steps: STEPS, warmUp: WARM_UP });
}
