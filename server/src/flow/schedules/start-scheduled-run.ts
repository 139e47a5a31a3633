import { type Actor, createdBy } from "../../platform/actor.ts";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { ApiError, notFound } from "../../platform/errors/errors.ts";
import type { NewRun } from "../runs/create/new-run.ts";
import { prepareRunInSlices } from "../runs/create/prepare-run.ts";
import { createEach } from "../runs/create/trigger-runs.ts";
import { findTriggerableJob, findTriggerableJobs, type TriggerableJob } from "../runs/create/triggerable-job.ts";
import { prepareWorkflowRun } from "../workflows/start/prepare-workflow-run.ts";
import { StaleWorkflows, startWorkflowRunsWithin } from "../workflows/start/start-workflow-runs.ts";
import { findTriggerableWorkflow } from "../workflows/start/triggerable-workflow.ts";
import type { ScheduleRow } from "./schedule-rows.ts";

export type ScheduledStart = {
  run_id: string;
  by: Actor;
  scheduled_at: string | null;
  /** The backfill that starts it: its time has long passed, so it does not expire in the queue. */
  batch_id?: string;
};

const MAX_TRIES = 5;

/** Starts a run of the schedule's job or workflow in the caller's transaction, or refuses as a trigger would. */
export async function startScheduledRun(
  tx: Ctx & InTransaction,
  schedule: ScheduleRow,
  start: ScheduledStart,
): Promise<void> {
  await refuseDeletedEnvironment(tx, schedule);
  const { job_id, workflow_id } = schedule;
  if (workflow_id !== null) await startScheduledWorkflow(tx, { ...schedule, workflow_id }, start);
  else await startJob(tx, schedule, job_id ?? "", start);
}

/** The same for schedules of jobs in one project; an error if one of them is refused, or its job was changed meanwhile. */
export async function startScheduledJobs(
  tx: Ctx & InTransaction,
  project_id: string,
  started: readonly { schedule: ScheduleRow; start: ScheduledStart }[],
): Promise<void> {
  const job_ids = new Set(started.map(({ schedule }) => schedule.job_id ?? ""));
  const environment_ids = new Set(started.map(({ schedule }) => schedule.environment_id));
  for (const environment_id of environment_ids) await refuseDeletedEnvironment(tx, { project_id, environment_id });
  const jobs = await findTriggerableJobs(tx, project_id, [...job_ids]);
  const newRuns: NewRun[] = [];
  for (const { schedule, start } of started)
    newRuns.push(await prepare(jobs.get(schedule.job_id ?? ""), schedule, start));
  const enqueued = await createEach(tx, newRuns, "block");
  if (enqueued.size < newRuns.length) throw new Error("a job changed during the attempt to start runs");
}

async function startJob(
  tx: Ctx & InTransaction,
  schedule: ScheduleRow,
  job_id: string,
  start: ScheduledStart,
): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const run = await prepare(await findTriggerableJob(tx, schedule.project_id, job_id), schedule, start);
    const enqueued = await createEach(tx, [run], start.scheduled_at === null ? "refuse" : "block");
    if (enqueued.has(run.id)) return;
  }
  throw new Error("the job changed during every attempt to start a run");
}

/** Every scheduled time gets its own run: it is not merged into a debounced one. */
async function prepare(
  job: TriggerableJob | undefined,
  { id: schedule_id, payload, environment_id }: ScheduleRow,
  { run_id, by, scheduled_at, batch_id }: ScheduledStart,
): Promise<NewRun> {
  if (!job) throw notFound("job");
  const of = { payload, environment_id, schedule_id, ...createdBy(by), scheduled_at, batch_id };
  const prepared = await prepareRunInSlices(job, { ...of, trigger_type: "cron" });
  return { ...prepared, id: run_id, debounce_key: null, ...(batch_id && { run_ttl_secs: null }) };
}

async function refuseDeletedEnvironment(
  tx: Ctx,
  { project_id, environment_id }: Pick<ScheduleRow, "project_id" | "environment_id">,
): Promise<void> {
  if (environment_id === null) return;
  const { rows } = await sql`
    select 1 from environments where project_id = ${project_id} and id = ${environment_id}`.execute(tx.db);
  if (rows.length === 0) throw new ApiError("conflict", "The environment of the schedule was deleted.");
}

/**
 * Starts a run of a schedule's workflow in the caller's transaction. It is due at once and is started by the task for
 * due runs: a rollback then has only rows to undo.
 */
async function startScheduledWorkflow(
  tx: Ctx & InTransaction,
  schedule: ScheduleRow & { workflow_id: string },
  { run_id, by, scheduled_at, batch_id }: ScheduledStart,
): Promise<void> {
  const { id: schedule_id, project_id, payload, environment_id } = schedule;
  const of = { payload, environment_id, schedule_id, ...createdBy(by), scheduled_at, batch_id: batch_id ?? null };
  const workflow = await findTriggerableWorkflow(tx, project_id, schedule.workflow_id);
  if (!workflow) throw notFound("workflow");
  const run = await prepareWorkflowRun(tx, workflow, { ...of, id: run_id, trigger_type: "cron" });
  // As for one with limits: created pending, not under a lease of this instance.
  await startWorkflowRunsWithin(tx, [{ ...run, is_limited: true }]);
}

/** Retries the whole transaction if the workflow was changed during it. */
export async function retryWhileStale<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof StaleWorkflows) || tries === MAX_TRIES) throw error;
    }
  }
}
