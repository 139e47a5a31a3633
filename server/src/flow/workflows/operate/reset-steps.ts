import type { Actor } from "../../../platform/actor.ts";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { ApiError } from "../../../platform/errors/errors.ts";
import { findErased } from "../../runs/maintain/erase-run.ts";
import { hasEnded } from "../../runs/states.ts";
import { leaveDeadLetters } from "../../runs/stop/dead-letters.ts";
import { deleteItems, listUndoneItems } from "../map/delete-items.ts";
import type { LockedWorkflowRun } from "../progress/loaded-run.ts";
import { takeSlot } from "../start/workflow-slots.ts";
import { stopSteps } from "../stop/cancel-below.ts";
import { recordDecisions } from "../workflow-run-changes.ts";
import { canceledByTheEnd, withCaused } from "./choose-resets.ts";
import type { OperatedStep } from "./read-operated-steps.ts";

/** Which steps of which run are reset, given all its steps, by whom, and for what reason. */
export type Reset = {
  run: LockedWorkflowRun;
  steps: readonly OperatedStep[];
  refs: Iterable<string>;
  by: Actor;
  reason: string;
  /** Evaluates the lists of maps again. Otherwise completed items stay, unless they were compensated. */
  isReplay?: boolean;
};

/**
 * Resets steps and all steps that were skipped or canceled because of them, and progresses the run from there. Each
 * gets a new generation: late results of the previous one change nothing.
 */
export async function resetSteps(tx: Ctx & InTransaction, reset: Reset): Promise<void> {
  const { run, by, reason } = reset;
  await refuseErased(tx, run);
  const chosen = chooseSteps(reset);
  const maps = chosen.filter(({ type }) => type === "map").map(({ step_ref }) => step_ref);
  await writeResets(
    tx,
    run,
    chosen.map(({ step_ref }) => step_ref),
  );
  const uncompensated = await clearFailedCompensations(tx, reset);
  await stopSteps(tx, run, chosen, reason);
  await leaveDeadLetters(tx, run.project_id, [
    ...chosen.flatMap(({ run_id }) => run_id ?? []),
    ...uncompensated,
    ...(await listUndoneItems(tx, run, maps)),
  ]);
  await deleteItems(tx, run, reset.isReplay ? maps : maps.filter((ref) => compensated(chosen).includes(ref)));
  await leaveDeadLetters(tx, run.project_id, await listDeadBelow(tx, run, chosen));
  await reopenWorkflowRun(tx, run);
  await recordDecisions(
    tx,
    { project_id: run.project_id, workflow_run_id: run.id },
    chosen.map(({ step_ref }) => ({ step_ref, decision_type: "retry", reason, by })),
  );
}

/** Its steps would run without input: the payload and the outputs are erased. Only ended runs are erased. */
async function refuseErased(tx: Ctx & InTransaction, { project_id, id, status }: LockedWorkflowRun): Promise<void> {
  if (!hasEnded(status)) return;
  if (!(await findErased(tx, project_id, "workflow_run", [id])).has(id)) return;
  throw new ApiError("data_deleted", "The data of the workflow run was deleted: trigger the workflow again.");
}

/** A pending step needs no reset. */
export function chooseSteps({ run, steps, refs }: Omit<Reset, "reason" | "by">): OperatedStep[] {
  const revived = hasEnded(run.status) ? [...canceledByTheEnd(steps), ...compensated(steps)] : [];
  const chosen = withCaused(steps, [...refs, ...revived]);
  return steps.filter(({ step_ref, status }) => chosen.has(step_ref) && status !== "pending");
}

async function writeResets(tx: Ctx & InTransaction, run: LockedWorkflowRun, refs: string[]): Promise<void> {
  await sql`
    update step_runs set prev_status = status, status = 'pending', generation = generation + 1, output = null,
      error = null, cause = null, cause_ref = null, run_id = null, event_trigger_id = null,
      child_workflow_run_id = null, message = null, input = null,
      completion = null, compensation_status = null, compensation_run_id = null, compensation_error = null,
      compensated_at = null, started_at = null, finished_at = null, updated_at = clock()
    where project_id = ${run.project_id} and workflow_run_id = ${run.id} and step_ref = any(${refs}::text[])
      and status <> 'pending'`.execute(tx.db);
}

/** The compensated steps: they run again when their workflow run is reopened. */
function compensated(steps: readonly OperatedStep[]): string[] {
  return steps.filter((step) => step.compensation_status === "completed").map(({ step_ref }) => step_ref);
}

/**
 * A step whose compensation failed stays completed, and is compensated again if the run fails again. Returns the runs
 * of failed compensations.
 */
async function clearFailedCompensations(
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

/**
 * Reopens a workflow run some of whose steps were reset: it runs again, with its full timeout. It takes a slot of
 * `max_concurrent_runs` even if none is free: it had started before, and pending runs keep waiting. Only an ended run
 * is reopened: an active one keeps its status.
 */
async function reopenWorkflowRun(tx: Ctx & InTransaction, run: LockedWorkflowRun): Promise<void> {
  const hadEnded = hasEnded(run.status);
  const failed = sql`(
    select count(*) from step_runs s
    where s.project_id = ${run.project_id} and s.workflow_run_id = ${run.id} and s.status = 'failed')`;
  if (!hadEnded) {
    await sql`
      update workflow_runs set error_count = ${failed}, blocked_on = null, updated_at = clock()
      where project_id = ${run.project_id} and id = ${run.id}`.execute(tx.db);
    return;
  }
  await takeSlot(tx, run);
  await sql`
    update workflow_runs set prev_status = status, status = 'running', transition_count = transition_count + 1, phase = null, error = null,
      error_count = ${failed}, holds_slot = true, blocked_on = null, started_at = coalesce(started_at, clock()),
      deadline = clock() + timeout_secs * interval '1 second', paused_at = null, finished_at = null, updated_at = clock()
    where project_id = ${run.project_id} and id = ${run.id}
      and status in ('completed', 'failed', 'timed_out', 'canceled')`.execute(tx.db);
}

type Parent = { step_ref: string; type: string };

/**
 * The dead letters in the workflow runs that steps have started, and in their descendants: retrying or skipping the
 * step makes them obsolete. Those of a completed map item stay, since the item stays.
 */
export async function listDeadBelow(
  tx: Ctx & InTransaction,
  { project_id, id }: { project_id: string; id: string },
  steps: readonly Parent[],
): Promise<string[]> {
  const parents = steps.filter(({ type }) => type === "map" || type === "sub_workflow");
  if (parents.length === 0) return [];
  const refs = parents.map(({ step_ref }) => step_ref);
  const { rows } = await sql<{ id: string }>`
    with recursive below as (
      select c.id from workflow_runs c
      where c.parent_workflow_run_id = ${id} and c.project_id = ${project_id}
        and split_part(c.parent_step_ref, '[', 1) = any(${refs}::text[])
        and not exists (
          select 1 from map_items i
          where i.project_id = c.project_id and i.workflow_run_id = ${id}
            and i.step_ref = split_part(c.parent_step_ref, '[', 1)
            and i.item_index = substring(c.parent_step_ref from '\\[(\\d+)\\]$')::integer
            and i.child_workflow_run_id = c.id and i.status = 'completed' offset 0)
      union all
      select c.id from below b, lateral (
        select c.id from workflow_runs c
        where c.parent_workflow_run_id = b.id and c.project_id = ${project_id} offset 0
      ) c
    )
    select r.id from below b, lateral (
      select r.id from runs r
      where r.project_id = ${project_id} and r.workflow_run_id = b.id and r.dead_lettered_at is not null offset 0
    ) r`.execute(tx.db);
  return rows.map((row) => row.id);
}
