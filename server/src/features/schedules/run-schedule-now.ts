import type { StartedRun } from "@millrace/contract/schedules";
import { readRun } from "../../flow/runs/run-columns.ts";
import { noteScheduledRun, type ScheduleRow } from "../../flow/schedules/schedule-rows.ts";
import { againWhileStale, startScheduledRun } from "../../flow/schedules/start-scheduled-run.ts";
import { readWorkflowRun } from "../../flow/workflows/workflow-run-columns.ts";
import { actorOf } from "../../platform/actor.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { notFound } from "../../platform/errors/errors.ts";
import { newId } from "../../platform/ids.ts";
import { lockSchedule } from "./queries.ts";
import { refuseUntriggerable } from "./refuse-untriggerable.ts";
import { requireWorkflowScope } from "./workflow-scope.ts";

/**
 * Starts a run like a scheduled one, in addition to the scheduled times: also while the schedule is paused, and
 * whatever its overlap policy.
 */
export async function runScheduleNow(ctx: ProjectCtx, id: string): Promise<StartedRun> {
  const run_id = newId();
  const run = await againWhileStale(() =>
    inTransaction(ctx, async (tx) => {
      const schedule = await lockSchedule(tx, id);
      if (!schedule) throw notFound("schedule");
      if (schedule.workflow_id !== null) requireWorkflowScope(tx, "workflows:trigger");
      await refuseUntriggerable(tx, schedule);
      const request = { run_id, by: actorOf(ctx.caller), scheduled_at: null };
      await startScheduledRun(tx, schedule, request);
      await noteScheduledRun(tx, schedule, run_id);
      return readStarted(tx, schedule, run_id);
    }),
  );
  if (!run) throw notFound("run");
  return run;
}

function readStarted(ctx: ProjectCtx, { project_id, workflow_id }: ScheduleRow, run_id: string) {
  return workflow_id === null ? readRun(ctx, project_id, run_id) : readWorkflowRun(ctx, project_id, run_id);
}
