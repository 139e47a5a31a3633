import type { Actor } from "../../../platform/actor.ts";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { ApiError, notFound } from "../../../platform/errors/errors.ts";
import { type Alongside, changeWorkflowRun, refuseCompensating } from "../change-workflow-run.ts";
import type { WorkflowRunKey } from "../workflow-run-changes.ts";
import { type OperatedStep, readOperatedSteps } from "./read-operated-steps.ts";
import { resetSteps } from "./reset-steps.ts";
import { refuseOpenStep } from "./retry-steps.ts";

/** A dead letter that a step of a workflow run started. */
type DeadStep = WorkflowRunKey & { run_id: string };

/**
 * Retries the step whose run is a dead letter, and takes the run out of the dead-letter queue. For a map, all failed
 * items are retried together. Refused if the step has continued without that run since: the retry would have no
 * effect.
 */
export async function retryDeadStep<C extends Ctx>(
  ctx: C,
  dead: DeadStep,
  by: Actor,
  alongside: Alongside<C>,
): Promise<void> {
  const isFound = await changeWorkflowRun(ctx, dead, async (tx, run) => {
    if (!(await isDeadLettered(tx, dead)))
      throw new ApiError("not_dead_lettered", "The run is not in the dead-letter queue.");
    refuseCompensating(run);
    const steps = await readOperatedSteps(tx, run);
    const { step_ref, status } = await ownerOf(tx, dead, steps);
    refuseOpenStep({ step_ref, status });
    const reason = `${by.name} replayed the dead letter of the step ${step_ref}`;
    await resetSteps(tx, { run, steps, refs: [step_ref], by, reason });
    await alongside(tx, run);
    return true;
  });
  if (!isFound) throw notFound("workflow run");
}

/** A step, or the map of the item. A compensation is retried only with the step it compensates. */
async function ownerOf(tx: Ctx & InTransaction, dead: DeadStep, steps: readonly OperatedStep[]): Promise<OperatedStep> {
  const map_ref = await findMapOf(tx, dead);
  const owner = steps.find((step) => step.run_id === dead.run_id || step.step_ref === map_ref);
  if (owner) return owner;
  throw new ApiError(
    "belongs_to_workflow",
    "No step can be retried for this run: retry the workflow run, or discard it.",
  );
}

async function findMapOf(tx: Ctx & InTransaction, dead: DeadStep): Promise<string | undefined> {
  const { rows } = await sql<{ step_ref: string }>`
    select step_ref from map_items where project_id = ${dead.project_id} and workflow_run_id = ${dead.workflow_run_id}
      and run_id = ${dead.run_id}`.execute(tx.db);
  return rows[0]?.step_ref;
}

async function isDeadLettered(tx: Ctx & InTransaction, { project_id, run_id }: DeadStep): Promise<boolean> {
  const { rows } = await sql`
    select 1 from runs
    where project_id = ${project_id} and id = ${run_id} and dead_lettered_at is not null`.execute(tx.db);
  return rows.length > 0;
}
