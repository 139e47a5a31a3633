import { JobSchedule } from "@millrace/contract/jobs/schedules";
import { visible } from "../../platform/access/policies/visibility.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { notFound } from "../../platform/errors/errors.ts";
import { isId } from "../../platform/ids.ts";
import { projectRoute, type Route } from "../../platform/route.ts";
import { nextFires } from "../../platform/time/cron.ts";

export const jobScheduleRoutes: Route[] = [
  projectRoute("GET /v1/jobs/{jobID}/schedule", {
    summary: "Get the next fire times of a job's `cron`",
    scope: "jobs:read",
    foundBy: { table: "jobs", param: "jobID" },
    response: JobSchedule,
    run: (ctx, { params }) => getJobSchedule(ctx, params.jobID),
  }),
];

const TIMES_SHOWN = 10;

type Found = { job_id: string; cron: string | null; timezone: string; paused: boolean; now: string };

/** When the job's own `cron` fires next. */
async function getJobSchedule(ctx: ProjectCtx, ref: string): Promise<JobSchedule> {
  const found = await findJobSchedule(ctx, ref);
  if (!found) throw notFound("job");
  const { now, cron, ...schedule } = found;
  if (cron === null) throw notFound("schedule");
  return { ...schedule, cron, next_fire_times: nextFires(cron, found.timezone, now, TIMES_SHOWN) };
}

async function findJobSchedule(ctx: ProjectCtx, ref: string): Promise<Found | undefined> {
  const { rows } = await sql<Found>`
    select j.id as job_id, s.cron, coalesce(s.timezone, j.timezone) as timezone, s.paused_at is not null as paused,
      clock() as now
    from jobs j left join schedules s on s.project_id = j.project_id and s.job_id = j.id and s.is_default
    where j.project_id = ${ctx.project_id} and ${isId(ref) ? sql`j.id = ${ref}` : sql`j.slug = ${ref}`}
      and j.deleted_at is null and ${visible(ctx, "jobs", "j")}`.execute(ctx.db);
  return rows[0];
}
