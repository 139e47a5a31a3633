import {
  CreateSchedule,
  ListSchedulesQuery,
  Schedule,
  ScheduleList,
  StartedRun,
  UpdateSchedule,
} from "@millrace/contract/schedules";
import { timeFromNow } from "../../flow/schedules/schedule-rows.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { notFound } from "../../platform/errors/errors.ts";
import { presentPage, readPage } from "../../platform/listing/page.ts";
import { projectRoute, type Route } from "../../platform/route.ts";
import { changeSchedule } from "./change-schedule.ts";
import { scheduleSemanticValidation } from "./check-schedule.ts";
import { createSchedule } from "./create-schedule.ts";
import { deleteSchedule } from "./delete-schedule.ts";
import { presentSchedule } from "./present-schedule.ts";
import { findSchedule, listSchedules as listRows } from "./queries.ts";
import { refuseUntriggerable } from "./refuse-untriggerable.ts";
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

/** A paused schedule does not fire. Idempotent. */
function pauseSchedule(ctx: ProjectCtx, id: string): Promise<Schedule> {
  return changeSchedule(ctx, { id, action: "schedule.paused" }, async (_tx, before) =>
    before.paused_at === null ? { is_paused: true, next_fire_at: null } : {},
  );
}

async function getSchedule(ctx: ProjectCtx, id: string): Promise<Schedule> {
  const row = await findSchedule(ctx, id);
  if (!row) throw notFound("schedule");
  return presentSchedule(row);
}

async function listSchedules(ctx: ProjectCtx, query: ListSchedulesQuery) {
  const page = readPage(ctx, "schedules", query, "s");
  const { data, ...rest } = presentPage(ctx, page, await listRows(ctx, page, query));
  return { data: data.map(presentSchedule), ...rest };
}

/** Computes the next time from now on: runs missed during the pause are not backfilled. */
function resumeSchedule(ctx: ProjectCtx, id: string): Promise<Schedule> {
  return changeSchedule(ctx, { id, action: "schedule.resumed" }, async (tx, before) => {
    if (before.paused_at === null) return {};
    await refuseUntriggerable(tx, before);
    return { is_paused: false, next_fire_at: await timeFromNow(tx, before) };
  });
}
