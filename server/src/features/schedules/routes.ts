import {
  BackfillSchedule,
  CreateSchedule,
  ListSchedulesQuery,
  Schedule,
  ScheduleBackfill,
  ScheduleList,
  StartedRun,
  UpcomingFires,
  UpcomingFiresQuery,
  UpdateSchedule,
} from "@millrace/contract/jobs/schedules";
import { readRun } from "../../flow/runs/run-columns.ts";
import {
  deleteSchedule as deleteRow,
  recordScheduledRun,
  type ScheduleRow,
  timeFromNow,
} from "../../flow/schedules/schedule-rows.ts";
import { retryWhileStale, startScheduledRun } from "../../flow/schedules/start-scheduled-run.ts";
import { readWorkflowRun } from "../../flow/workflows/workflow-run-columns.ts";
import { actorOf } from "../../platform/actor.ts";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { ApiError, notFound } from "../../platform/errors/errors.ts";
import { newId } from "../../platform/ids.ts";
import { presentPage, readPage } from "../../platform/listing/page.ts";
import { projectRoute, type Route } from "../../platform/route.ts";
import { backfillSchedule } from "./backfill-schedule.ts";
import { changeSchedule, requireWorkflowScope } from "./change-schedule.ts";
import { refuseUntriggerable, scheduleSemanticValidation } from "./check-schedule.ts";
import { createSchedule } from "./create-schedule.ts";
import { findSchedule, listSchedules as listRows, lockSchedule, presentSchedule } from "./queries.ts";
import { listUpcomingFires } from "./upcoming-fires.ts";
import { updateSchedule } from "./update-schedule.ts";

const foundBy = { table: "schedules", param: "scheduleID" } as const;

export const scheduleRoutes: Route[] = [
  projectRoute("POST /v1/schedules", {
    summary: "Create a schedule",
    scope: "jobs:write",
    body: CreateSchedule,
    semanticValidation: scheduleSemanticValidation,
    response: Schedule,
    status: 201,
    run: (ctx, { body }) => createSchedule(ctx, body),
  }),
  projectRoute("GET /v1/schedules", {
    summary: "List schedules",
    scope: "jobs:read",
    query: ListSchedulesQuery,
    response: ScheduleList,
    run: (ctx, { query }) => listSchedules(ctx, query),
  }),
  projectRoute("GET /v1/schedules/upcoming", {
    summary: "List when active schedules fire next",
    scope: "jobs:read",
    query: UpcomingFiresQuery,
    response: UpcomingFires,
    run: (ctx, { query }) => listUpcomingFires(ctx, query),
  }),
  projectRoute("GET /v1/schedules/{scheduleID}", {
    summary: "Get a schedule",
    scope: "jobs:read",
    foundBy,
    response: Schedule,
    run: (ctx, { params }) => getSchedule(ctx, params.scheduleID),
  }),
  projectRoute("PATCH /v1/schedules/{scheduleID}", {
    summary: "Update a schedule",
    scope: "jobs:write",
    foundBy,
    body: UpdateSchedule,
    semanticValidation: scheduleSemanticValidation,
    response: Schedule,
    errors: ["schedule_is_default"],
    run: (ctx, { params, body }) => updateSchedule(ctx, params.scheduleID, body),
  }),
  projectRoute("DELETE /v1/schedules/{scheduleID}", {
    summary: "Delete a schedule",
    scope: "jobs:write",
    foundBy,
    errors: ["schedule_is_default"],
    run: (ctx, { params }) => deleteSchedule(ctx, params.scheduleID),
  }),
  projectRoute("POST /v1/schedules/{scheduleID}/run-now", {
    summary: "Start a run of a schedule now",
    scope: "jobs:trigger",
    foundBy,
    limit: "trigger",
    response: StartedRun,
    status: 201,
    errors: ["budget_exceeded", "conflict", "job_disabled", "payload_invalid", "workflow_disabled"],
    run: (ctx, { params }) => runScheduleNow(ctx, params.scheduleID),
  }),
  projectRoute("POST /v1/schedules/{scheduleID}/backfill", {
    summary: "Start the runs of a schedule for past times that have none",
    scope: "jobs:trigger",
    foundBy,
    limit: "trigger",
    body: BackfillSchedule,
    response: ScheduleBackfill,
    run: (ctx, { params, body }) => backfillSchedule(ctx, params.scheduleID, body),
  }),
  projectRoute("POST /v1/schedules/{scheduleID}/pause", {
    summary: "Pause a schedule",
    scope: "jobs:write",
    foundBy,
    response: Schedule,
    run: (ctx, { params }) => pauseSchedule(ctx, params.scheduleID),
  }),
  projectRoute("POST /v1/schedules/{scheduleID}/resume", {
    summary: "Resume a schedule; missed times are not fired",
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

/** Its runs continue. */
async function deleteSchedule(ctx: ProjectCtx, id: string): Promise<undefined> {
  await inTransaction(ctx, async (tx) => {
    const before = await lockSchedule(tx, id);
    if (!before) throw notFound("schedule");
    if (before.workflow_id !== null) requireWorkflowScope(tx, "workflows:write");
    refuseDefault(before);
    await deleteRow(tx, before);
    await recordAudit(tx, {
      action: "schedule.deleted",
      resource_type: "schedule",
      resource_id: id,
      before: presentSchedule(before),
    });
  });
}

function refuseDefault({ is_default, workflow_id }: ScheduleRow): void {
  if (!is_default) return;
  const owner = workflow_id === null ? "job" : "workflow";
  throw new ApiError(
    "schedule_is_default",
    `This is the ${owner}'s default schedule: set the ${owner}'s cron to null.`,
  );
}

/**
 * Starts a run like a scheduled one, in addition to the scheduled times: also while the schedule is paused, and
 * whatever its overlap policy.
 */
async function runScheduleNow(ctx: ProjectCtx, id: string): Promise<StartedRun> {
  const run_id = newId();
  const run = await retryWhileStale(() =>
    inTransaction(ctx, async (tx) => {
      const schedule = await lockSchedule(tx, id);
      if (!schedule) throw notFound("schedule");
      if (schedule.workflow_id !== null) requireWorkflowScope(tx, "workflows:trigger");
      await refuseUntriggerable(tx, schedule);
      const request = { run_id, by: actorOf(ctx.caller), scheduled_at: null };
      await startScheduledRun(tx, schedule, request);
      await recordScheduledRun(tx, schedule, run_id);
      return readStarted(tx, schedule, run_id);
    }),
  );
  if (!run) throw notFound("run");
  return run;
}

function readStarted(ctx: ProjectCtx, { project_id, workflow_id }: ScheduleRow, run_id: string) {
  return workflow_id === null ? readRun(ctx, project_id, run_id) : readWorkflowRun(ctx, project_id, run_id);
}
