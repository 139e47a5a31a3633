import { JobSchedule } from "@millrace/contract/schedules";
import { projectRoute, type RouteRow } from "../../platform/route.ts";
import { getJobSchedule } from "./get-job-schedule.ts";

export const jobScheduleRoutes: RouteRow[] = [
  projectRoute({
    method: "GET",
    path: "/v1/jobs/{jobID}/schedule",
    summary: "Get the next times of a job's own cron",
    scope: "jobs:read",
    foundBy: { table: "jobs", param: "jobID" },
    answer: JobSchedule,
    run: (ctx, { params }) => getJobSchedule(ctx, params.jobID),
  }),
];
