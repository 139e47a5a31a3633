import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { notFound } from "../../../platform/errors/errors.ts";
import type { StepType } from "../plan/definition.ts";
import type { CompensationStatus, LockedWorkflowRun } from "../progress/loaded-run.ts";
import type { StepTrace } from "./choose-resets.ts";

/** The fields of a step that manual operations need. */
export type OperatedStep = StepTrace & {
  id: string;
  type: StepType;
  generation: number;
  run_id: string | null;
  event_trigger_id: string | null;
  compensation_status: CompensationStatus | null;
  compensation_run_id: string | null;
};

/** The steps of a locked workflow run: every writer of a step holds that lock. */
export async function readOperatedSteps(tx: Ctx & InTransaction, run: LockedWorkflowRun): Promise<OperatedStep[]> {
  const { rows } = await sql<OperatedStep>`
    select id, step_ref, type, status, cause, cause_ref, generation, run_id, event_trigger_id,
      compensation_status, compensation_run_id from step_runs
    where project_id = ${run.project_id} and workflow_run_id = ${run.id} order by position`.execute(tx.db);
  return rows;
}

export function requireStep<S extends { step_ref: string }>(steps: readonly S[], step_ref: string): S {
  const step = steps.find((each) => each.step_ref === step_ref);
  if (!step) throw notFound("step");
  return step;
}
