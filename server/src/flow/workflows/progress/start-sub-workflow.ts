import type { Ctx } from "../../../platform/context.ts";
import type { SubWorkflowStep } from "../plan/definition.ts";
import type { PlannedStart } from "../plan/plan-run.ts";
import type { Start } from "./create-starts.ts";
import { failStep, note, stepOf } from "./loaded-run.ts";
import { prepareChild } from "./prepare-child.ts";

/** Undefined: the workflow run cannot be created, and the step has failed. */
export async function startSubWorkflow(tx: Ctx, { loaded, start }: PlannedStart): Promise<Start | undefined> {
  const { step_ref, rendered, reason } = start;
  if (rendered.type !== "sub_workflow") throw new Error("not a sub_workflow step");
  const { workflow_id } = loaded.version.byRef.get(step_ref) as SubWorkflowStep;
  const step = stepOf(loaded, step_ref);
  const order = { workflow_id, step_ref, generation: step.generation, payload: rendered.payload };
  const prepared = await prepareChild(tx, loaded.run, order);
  if ("code" in prepared) {
    failStep(loaded, step_ref, prepared);
    return undefined;
  }
  step.status = "running";
  step.child_workflow_run_id = prepared.run.id;
  note(loaded, "start", step_ref, reason);
  return { loaded, step_ref, child: prepared.run };
}
