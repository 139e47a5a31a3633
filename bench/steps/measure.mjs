import { runWorkflows } from "../compare/run-workflows.mjs";

export const as = "workflows";

const STEPS = 3;
const WARM_UP = 3_000;

/** Each client starts a workflow; each of its steps is a request to the sink. */
export function measure({ system, sink, n }) {
  return runWorkflows({ system, sink, n, start: system.startSteps, steps: STEPS, warmUp: WARM_UP });
}
