import { findRepeated } from "../../../flow/runs/create/find-existing.ts";
import type { NewWorkflowRun, WorkflowTriggerResult } from "../../../flow/workflows/start/new-workflow-run.ts";
import type { WorkflowTrigger } from "../../../flow/workflows/start/prepare-workflow-run.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { findWorkflowFor, idempotencyConflict, prepareFor, refuseWhenSpent } from "./submit-trigger.ts";

/** The workflow run that would be created, or the existing one for its key. */
type Checked = { kind: "new"; run: NewWorkflowRun } | Extract<WorkflowTriggerResult, { kind: "existing" }>;

/** Previews the result or the error of `submitTrigger`. Read-only. */
export async function checkTrigger(ctx: ProjectCtx, ref: string, trigger: WorkflowTrigger): Promise<Checked> {
  const workflow = await findWorkflowFor(ctx, ref, trigger.environment_id ?? null);
  const run = await prepareFor(ctx, workflow, trigger);
  const repeated = await findRepeated(ctx, run);
  if (repeated?.kind === "conflict") throw idempotencyConflict();
  if (repeated) return { kind: "existing", workflow_run_id: repeated.run_id };
  await refuseWhenSpent(ctx);
  return { kind: "new", run };
}
