import { JobSchedule } from "@millrace/contract/schedules";
import { projectRoute, type Route } from "../../platform/route.ts";
import { getJobSchedule } from "./get-job-schedule.ts";

export const jobScheduleRoutes: Route[] = [
  projectRoute({
    method: "GET",
    path: "/v1/jobs/{jobID}/schedule",
    summary: "Get the next fire times of a job's `cron`",
    scope: "jobs:read",
    foundBy: { table: "jobs", param: "jobID" },
    response: JobSchedule,
    run: (ctx, { params }) => getJobSchedule(ctx, params.jobID),
  }),
];
