import type { WorkflowBench } from "../costs/workflow-bench.ts";
import type { World } from "../world/world.ts";
import { sdkOf } from "./running-run.ts";

/** Makes the runs of a step continue after their dispatch until `finishStep`. */
export function holdStep(bench: WorkflowBench, step_ref: string): void {
  bench.onDispatch(step_ref, () => ({ status: 202 }));
}

/** Reports the end of a held step's job, from its newest dispatch or an older one. Returns the response status. */
export async function finishStep(
  world: World,
  bench: WorkflowBench,
  step_ref: string,
  { result = { step: step_ref }, nth = -1 }: { result?: unknown; nth?: number } = {},
): Promise<number> {
  const dispatch = bench.endpoint.dispatches.filter(({ body }) => body.step_ref === step_ref).at(nth);
  if (!dispatch) throw new Error(`the step ${step_ref} was not dispatched`);
  const sdk = sdkOf(world, dispatch.run_id, String(dispatch.headers["x-svc-run-token"]));
  return (await sdk.post("/complete", { result })).status;
}
