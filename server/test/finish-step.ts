import { sdkOf } from "./running-run.ts";
import type { WorkflowBench } from "./workflow-bench.ts";
import type { World } from "./world.ts";

/** Lets the runs of a step go on by themselves after their dispatch, until `finishStep`. */
export function holdStep(bench: WorkflowBench, step_ref: string): void {
  bench.answer(step_ref, () => ({ status: 202 }));
}

/** The job of a held step reports its end, by its newest dispatch or by an older one. Answers the status it gets. */
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
