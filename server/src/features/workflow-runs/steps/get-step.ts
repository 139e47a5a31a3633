import { leaveOutOfSteps } from "../../../flow/workflows/operate/leave-out-denied.ts";
import type { StepRunRow } from "../../../flow/workflows/step-run-columns.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { notFound } from "../../../platform/errors/errors.ts";
import { getWorkflowRun } from "../get-workflow-run.ts";
import { findStep } from "../queries.ts";
import { countItems } from "./item-queries.ts";

export async function getStep(ctx: ProjectCtx, id: string, step_ref: string): Promise<StepRunRow> {
  const run = await getWorkflowRun(ctx, id);
  const found = await findStep(ctx, run.id, step_ref);
  const [step] = await leaveOutOfSteps(ctx, run.id, found ? [found] : []);
  if (!step) throw notFound("step");
  return step.type === "map" && step.started_at !== null ? { ...step, items: await countItems(ctx, step) } : step;
}
