import type { Ctx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { perService } from "../../platform/service-state.ts";
import { changeRun, transitionRun } from "../runs/change-run.ts";
import type { RunKey } from "../runs/lock-runs.ts";
import { FIRST_RUN, listStrandedRuns } from "../runs/maintain/list-stranded-runs.ts";
import { queueRuns } from "../runs/queue-run.ts";
import { listStrandedSteps, SCAN_START, type StrandedStep } from "../workflows/maintain/list-idle-runs.ts";
import { endWaitingSteps, lockRunsOfSteps } from "../workflows/progress/end-waiting-steps.ts";
import { GRACE_SECS } from "./find-unapplied.ts";

const PAGE = 500;
const WALKED_PER_PASS = 2_000;
const LOST = { code: "event_trigger_lost", message: "The wait of the step no longer exists." };

/** The positions of the scans over all active runs and workflow runs. */
const scanOf = perService(() => ({ runs: FIRST_RUN, workflowRuns: SCAN_START }));

/**
 * Runs and steps that wait although nothing would ever end their wait. A run is dispatched again, and may wait again; a
 * step fails and follows its on_failure. Recent ones are skipped: their transaction may be open. Those that were stranded
 * longer ago are found page by page, pending runs without a queue row among them.
 */
export async function repairStranded(ctx: Ctx): Promise<{ queued: number; stranded: number }> {
  const walked = await walkRuns(ctx);
  const pending = walked.filter(({ status }) => status === "pending");
  for (const key of pending) await inTransaction(ctx, (tx) => queueRuns(tx, [key]));
  const runs = await findRuns(
    ctx,
    walked.filter(({ status }) => status === "waiting"),
  );
  for (const key of runs) await startAgain(ctx, key);
  const steps = await findSteps(ctx, await walkSteps(ctx));
  for (const step of steps) await failStep(ctx, step);
  return { queued: pending.length, stranded: runs.length + steps.length };
}

const WALK = { page: WALKED_PER_PASS, graceSecs: GRACE_SECS };

async function walkRuns(ctx: Ctx) {
  const scan = scanOf(ctx);
  const { stranded, next } = await listStrandedRuns(ctx, { ...WALK, after: scan.runs });
  scan.runs = next;
  return stranded;
}

async function walkSteps(ctx: Ctx): Promise<StrandedStep[]> {
  const scan = scanOf(ctx);
  const { stranded, next } = await listStrandedSteps(ctx, { ...WALK, after: scan.workflowRuns });
  scan.workflowRuns = next;
  return stranded;
}

/** Recent ones and, of the others, those whose trigger is missing. One that has ended is applied elsewhere. */
async function findRuns(ctx: Ctx, others: readonly RunKey[]): Promise<RunKey[]> {
  const { rows } = await sql<RunKey>`
    select r.project_id, r.id as run_id
    from (
      select m.project_id, m.run_id from run_history m
      join runs r on r.project_id = m.project_id and r.id = m.run_id and r.transition_count = m.ordinal
      where m.to_status = 'waiting' and m.created_at > clock() - 3 * ${GRACE_SECS} * interval '1 second'
        and m.created_at < clock() - ${GRACE_SECS} * interval '1 second'
      union
      select * from unnest(${others.map((run) => run.project_id)}::uuid[], ${others.map((run) => run.run_id)}::uuid[])
    ) m
    join runs r on r.project_id = m.project_id and r.id = m.run_id
    where r.status = 'waiting' and not exists (
        select 1 from event_triggers t
        where t.project_id = r.project_id and t.job_run_id = r.id and t.job_run_id is not null and t.ordinal = r.waits)
    limit ${PAGE}`.execute(ctx.db);
  return rows;
}

async function startAgain(ctx: Ctx, key: RunKey): Promise<void> {
  await changeRun(ctx, key, async (tx, run) => {
    if (run.status !== "waiting") return;
    const to_status = run.pause_requested ? "paused" : "pending";
    await transitionRun(tx, run, { to_status, cause: run.pause_requested ? "paused" : "resumed" });
    await queueRuns(tx, [key]);
  });
}

/** Recent ones and, of the others, those that the walk has found. */
async function findSteps(ctx: Ctx, others: readonly StrandedStep[]): Promise<StrandedStep[]> {
  const { rows } = await sql<StrandedStep>`
    select s.project_id, s.workflow_run_id, s.id as step_run_id, s.event_trigger_id as trigger_id, s.generation
    from step_runs s
    where s.status = 'waiting' and s.event_trigger_id is not null
      and s.updated_at > clock() - 3 * ${GRACE_SECS} * interval '1 second'
      and s.updated_at < clock() - ${GRACE_SECS} * interval '1 second'
      and not exists (
        select 1 from event_triggers t where t.project_id = s.project_id and t.id = s.event_trigger_id)
    limit ${PAGE}`.execute(ctx.db);
  const known = new Set(rows.map((step) => step.step_run_id));
  return [...rows, ...others.filter((step) => !known.has(step.step_run_id))];
}

async function failStep(ctx: Ctx, { project_id, ...step }: StrandedStep): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    await lockRunsOfSteps(tx, project_id, [step.workflow_run_id]);
    await endWaitingSteps(tx, project_id, [{ ...step, result: { kind: "failed", error: LOST } }]);
  });
}
