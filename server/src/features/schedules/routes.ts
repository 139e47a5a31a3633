import {
  CreateSchedule,
  ListSchedulesQuery,
  Schedule,
  ScheduleList,
  StartedRun,
  UpdateSchedule,
} from "@millrace/contract/schedules";
import { projectRoute, type Route } from "../../platform/route.ts";
import { scheduleSemanticValidation } from "./check-schedule.ts";
import { createSchedule } from "./create-schedule.ts";
import { deleteSchedule } from "./delete-schedule.ts";
import { getSchedule } from "./get-schedule.ts";
import { listSchedules } from "./list-schedules.ts";
import { pauseSchedule } from "./pause-schedule.ts";
import { resumeSchedule } from "./resume-schedule.ts";
import { runScheduleNow } from "./run-schedule-now.ts";
import { updateSchedule } from "./update-schedule.ts";

const foundBy = { table: "schedules", param: "scheduleID" } as const;

export const scheduleRoutes: Route[] = [
  projectRoute({
    method: "POST",
    path: "/v1/schedules",
    summary: "Create a schedule",
    scope: "jobs:write",
    body: CreateSchedule,
    semanticValidation: scheduleSemanticValidation,
    response: Schedule,
    status: 201,
    run: (ctx, { body }) => createSchedule(ctx, body),
  }),
  projectRoute({
    method: "GET",
    path: "/v1/schedules",
    summary: "List schedules",
    scope: "jobs:read",
    query: ListSchedulesQuery,
    response: ScheduleList,
    run: (ctx, { query }) => listSchedules(ctx, query),
  }),
  projectRoute({
    method: "GET",
    path: "/v1/schedules/{scheduleID}",
    summary: "Get a schedule",
    scope: "jobs:read",
    foundBy,
    response: Schedule,
    run: (ctx, { params }) => getSchedule(ctx, params.scheduleID),
  }),
  projectRoute({
    method: "PATCH",
    path: "/v1/schedules/{scheduleID}",
    summary: "Update a schedule",
    scope: "jobs:write",
    foundBy,
    body: UpdateSchedule,
    semanticValidation: scheduleSemanticValidation,
    response: Schedule,
    errors: ["schedule_is_default"],
    run: (ctx, { params, body }) => updateSchedule(ctx, params.scheduleID, body),
  }),
  projectRoute({
    method: "DELETE",
    path: "/v1/schedules/{scheduleID}",
    summary: "Delete a schedule",
    scope: "jobs:write",
    foundBy,
    errors: ["schedule_is_default"],
    run: (ctx, { params }) => deleteSchedule(ctx, params.scheduleID),
  }),
  projectRoute({
    method: "POST",
    path: "/v1/schedules/{scheduleID}/run-now",
    summary: "Start a run of a schedule now",
    scope: "jobs:trigger",
    foundBy,
    limit: "trigger",
    response: StartedRun,
    status: 201,
    errors: ["budget_exceeded", "conflict", "job_disabled", "payload_invalid", "workflow_disabled"],
    run: (ctx, { params }) => runScheduleNow(ctx, params.scheduleID),
  }),
  projectRoute({
    method: "POST",
    path: "/v1/schedules/{scheduleID}/pause",
    summary: "Pause a schedule",
    scope: "jobs:write",
    foundBy,
    response: Schedule,
    run: (ctx, { params }) => pauseSchedule(ctx, params.scheduleID),
  }),
  projectRoute({
    method: "POST",
    path: "/v1/schedules/{scheduleID}/resume",
    summary: "Resume a schedule; missed times are not backfilled",
    scope: "jobs:write",
    foundBy,
    response: Schedule,
    run: (ctx, { params }) => resumeSchedule(ctx, params.scheduleID),
  }),
];
