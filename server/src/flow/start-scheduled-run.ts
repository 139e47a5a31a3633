import { sql } from "kysely";
import type { Ctx, InTransaction } from "../platform/context.ts";
import { notFound, Refusal } from "../platform/errors.ts";
import { countTransitions } from "./count-transitions.ts";
import { enqueueRuns } from "./enqueue-runs.ts";
import { type Lane, wakeLanes } from "./lanes.ts";
import { prepareRun } from "./prepare-run.ts";
import type { ScheduleRow } from "./schedule-rows.ts";
import { findTriggerableJob } from "./triggerable-job.ts";

type Asked = { run_id: string; created_by: string; scheduled_at: string | null };

const MAX_TRIES = 5;

/**
 * Starts a run of the schedule in the transaction of its cause, or refuses as a trigger would. Answers where it became
 * claimable, to be told after the commit.
 */
export async function startScheduledRun(
  tx: Ctx & InTransaction,
  schedule: ScheduleRow,
  { run_id, created_by, scheduled_at }: Asked,
): Promise<Lane[]> {
  const { id: schedule_id, project_id, payload, environment_id } = schedule;
  const trigger = { payload, environment_id, schedule_id, trigger_type: "cron", created_by, scheduled_at } as const;
  await refuseDeletedEnvironment(tx, schedule);
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const job = await findTriggerableJob(tx, project_id, schedule.job_id);
    if (!job) throw notFound("job");
    // A time is a time: it is not merged into a run that waits to be debounced.
    const run = { ...prepareRun(job, trigger), id: run_id, debounce_key: null };
    const { runs, lanes } = await enqueueRuns(tx, [run]);
    if (runs.has(run_id)) return lanes;
  }
  throw new Error("the job changes faster than a run of it can be started");
}

async function refuseDeletedEnvironment(tx: Ctx, { project_id, environment_id }: ScheduleRow): Promise<void> {
  if (environment_id === null) return;
  const { rows } = await sql`
    select 1 from environments where project_id = ${project_id} and id = ${environment_id}`.execute(tx.db);
  if (rows.length === 0) throw new Refusal("conflict", "The environment of the schedule was deleted.");
}

/** After the commit. */
export function announceScheduledRun(ctx: Ctx, lanes: Lane[]): void {
  wakeLanes(ctx, lanes);
  countTransitions(ctx, [{ from_status: null, to_status: "pending" }]);
}
