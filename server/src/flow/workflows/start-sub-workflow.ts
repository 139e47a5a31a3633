import type { Ctx } from "../../platform/context.ts";
import type { Start } from "./create-starts.ts";
import type { SubWorkflowStep } from "./definition.ts";
import { failStep, note, stepOf } from "./loaded-run.ts";
import type { Asked } from "./plan-run.ts";
import { prepareChild } from "./prepare-child.ts";

/** Undefined: there can be no such workflow run, and the step has failed. */
export async function startSubWorkflow(tx: Ctx, { hand, start }: Asked): Promise<Start | undefined> {
  const { step_ref, rendered, reason } = start;
  if (rendered.type !== "sub_workflow") throw new Error("not a sub_workflow step");
  const { workflow_id } = hand.version.byRef.get(step_ref) as SubWorkflowStep;
  const step = stepOf(hand, step_ref);
  const order = { workflow_id, step_ref, generation: step.generation, payload: rendered.payload };
  const prepared = await prepareChild(tx, hand.run, order);
  if ("code" in prepared) {
    failStep(hand, step_ref, prepared);
    return undefined;
  }
  step.status = "running";
  step.child_workflow_run_id = prepared.run.id;
  note(hand, "start", step_ref, reason);
  return { hand, step_ref, child: prepared.run };
}
