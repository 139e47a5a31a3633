import { sql } from "kysely";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import type { CompensationStatus } from "./compensate-types.ts";
import { lockWorkflowRuns } from "./lock-workflow-runs.ts";
import { emptyHand, type RunInHand, type StepInHand } from "./run-in-hand.ts";
import type { WorkflowRunKey } from "./workflow-run-key.ts";
import { findWorkflowVersion } from "./workflow-version.ts";

const SMALL_BYTES = 1_000;

type StepRow = Omit<StepInHand, "was" | "ended" | "compensation"> & {
  compensation_status: CompensationStatus | null;
  compensation_run_id: string | null;
  workflow_run_id: string;
  step_ref: string;
  ended_status: NonNullable<StepInHand["ended"]>["status"] | null;
  output: unknown;
  has_output: boolean;
  result: unknown;
  run_error: NonNullable<StepInHand["ended"]>["error"];
};

/**
 * Locks workflow runs and takes those that run in hand: their steps, and what the runs of those that were running have
 * come to. Both statements are sent at once: the second is run when the locks are held, and sees what was committed by
 * then.
 */
export async function lockAndLoadRuns(tx: Ctx & InTransaction, keys: readonly WorkflowRunKey[]): Promise<RunInHand[]> {
  const [locked, steps] = await Promise.all([lockWorkflowRuns(tx, keys), readSteps(tx, keys)]);
  const hands = new Map<string, RunInHand>();
  for (const run of locked) {
    if (run.status !== "running") continue;
    hands.set(run.id, emptyHand(run, await findWorkflowVersion(tx, run.project_id, run.version_id), false));
  }
  for (const row of steps) {
    const hand = hands.get(row.workflow_run_id);
    if (hand) takeStep(hand, row);
  }
  return [...hands.values()];
}

function takeStep({ steps, outputs }: RunInHand, row: StepRow): void {
  const { step_ref, ended_status, result, run_error } = row;
  steps.set(step_ref, {
    id: row.id,
    status: row.status,
    was: row.status,
    generation: row.generation,
    error: row.error,
    cause: row.cause,
    cause_ref: row.cause_ref,
    run_id: row.run_id,
    event_trigger_id: row.event_trigger_id,
    child_workflow_run_id: row.child_workflow_run_id,
    completion: row.completion,
    compensation: compensationOf(row),
    ended: ended_status === null ? null : { status: ended_status, result, error: run_error },
  });
  if (row.has_output) outputs.set(step_ref, row.output);
}

function compensationOf({ compensation_status: status, compensation_run_id: run_id }: StepRow) {
  return status === null ? null : { status, run_id, error: null, was: status };
}

/**
 * Of a run only the end is read, and an end never changes: it needs no lock. Small outputs come along; large ones are
 * read when they are needed.
 */
async function readSteps(tx: Ctx & InTransaction, keys: readonly WorkflowRunKey[]): Promise<StepRow[]> {
  const { rows } = await sql<StepRow>`
    /* kept */
    select s.*, r.status as ended_status, r.result, r.error as run_error
    from json_to_recordset(${JSON.stringify(keys)}::json) as g(project_id uuid, workflow_run_id uuid), lateral (
      select s.project_id, s.workflow_run_id, s.step_ref, s.id, s.status, s.generation, s.error, s.cause, s.cause_ref,
        s.run_id, s.event_trigger_id, s.child_workflow_run_id, s.completion, s.compensation_status, s.compensation_run_id,
        case when x.has_output then s.output end as output, x.has_output
      from step_runs s, lateral (
        select s.status = 'completed' and coalesce(pg_column_size(s.output), 0) <= ${SMALL_BYTES} as has_output
      ) x
      where s.project_id = g.project_id and s.workflow_run_id = g.workflow_run_id order by s.position
    ) s
    left join lateral (
      select r.status, r.result, r.error from runs r
      where (s.status = 'running' or s.compensation_status = 'running') and r.project_id = s.project_id
        and r.finished_at is not null and r.id = case when s.status = 'running' then s.run_id
          when s.compensation_status = 'running' then s.compensation_run_id end
    ) r on true`.execute(tx.db);
  return rows;
}
