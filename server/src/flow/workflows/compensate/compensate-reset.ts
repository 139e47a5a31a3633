import { sql } from "kysely";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import type { OperatedStep } from "../operate/read-operated-steps.ts";
import type { LockedWorkflowRun } from "../progress/loaded-run.ts";

/** The compensated steps: they run again when their workflow run is reopened. */
export function compensated(steps: readonly OperatedStep[]): string[] {
  return steps.filter((step) => step.compensation_status === "completed").map(({ step_ref }) => step_ref);
}

/**
 * A step whose compensation failed stays completed, and is compensated again if the run fails again. Returns the runs
 * of failed compensations.
 */
export async function forgetFailedCompensations(
  tx: Ctx & InTransaction,
  { run, steps }: { run: LockedWorkflowRun; steps: readonly OperatedStep[] },
): Promise<string[]> {
  const failed = steps.filter((step) => step.compensation_status === "failed");
  if (failed.length === 0) return [];
  await sql`
    update step_runs set compensation_status = null, compensation_run_id = null, compensation_error = null,
      updated_at = clock()
    where project_id = ${run.project_id} and workflow_run_id = ${run.id}
      and compensation_status = 'failed'`.execute(tx.db);
  return failed.flatMap((step) => step.compensation_run_id ?? []);
}
