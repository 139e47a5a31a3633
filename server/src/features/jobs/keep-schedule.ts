import type { Job } from "@millrace/contract/jobs";
import { keepDefaultSchedule } from "../../flow/schedules/keep-default-schedule.ts";
import { actorOf, createdBy } from "../../platform/actor.ts";
import type { InTransaction, ProjectCtx } from "../../platform/context.ts";

type JobTimes = Pick<Job, "id" | "cron" | "timezone" | "cron_overlap_policy">;

/** The job's own cron is its default schedule. */
export function keepSchedule(tx: ProjectCtx & InTransaction, job: JobTimes): Promise<void> {
  const { id: job_id, cron, timezone, cron_overlap_policy: overlap_policy } = job;
  const { project_id, caller } = tx;
  return keepDefaultSchedule(tx, { project_id, job_id, cron, timezone, overlap_policy, ...createdBy(actorOf(caller)) });
}
