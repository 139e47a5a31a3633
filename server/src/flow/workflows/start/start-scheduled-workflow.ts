import { type Actor, createdBy } from "../../../platform/actor.ts";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { notFound } from "../../../platform/errors/errors.ts";
import type { ScheduleRow } from "../../schedules/schedule-rows.ts";
import { prepareWorkflowRun } from "./prepare-workflow-run.ts";
import { StaleWorkflows, startWorkflowRunsWithin } from "./start-workflow-runs.ts";
import { findTriggerableWorkflow } from "./triggerable-workflow.ts";

type ScheduledStart = { run_id: string; by: Actor; scheduled_at: string | null };

const MAX_TRIES = 5;

/**
 * Starts a run of a schedule's workflow in the caller's transaction. It is due at once and is started by the task for
 * due runs: a rollback then has only rows to undo.
 */
export async function startScheduledWorkflow(
  tx: Ctx & InTransaction,
  schedule: ScheduleRow & { workflow_id: string },
  { run_id, by, scheduled_at }: ScheduledStart,
): Promise<void> {
  const { id: schedule_id, project_id, payload, environment_id } = schedule;
  const of = { payload, environment_id, schedule_id, ...createdBy(by), scheduled_at };
  const workflow = await findTriggerableWorkflow(tx, project_id, schedule.workflow_id);
  if (!workflow) throw notFound("workflow");
  const run = await prepareWorkflowRun(tx, workflow, { ...of, id: run_id, trigger_type: "cron" });
  // As for one with limits: created pending, not under a lease of this instance.
  await startWorkflowRunsWithin(tx, [{ ...run, is_limited: true }]);
}

/** Retries the whole transaction if the workflow was changed during it. */
export async function againWhileStale<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof StaleWorkflows) || tries === MAX_TRIES) throw error;
    }
  }
}
