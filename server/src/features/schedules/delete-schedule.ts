import { deleteSchedule as deleteRow, type ScheduleRow } from "../../flow/schedules/schedule-rows.ts";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { ApiError, notFound } from "../../platform/errors/errors.ts";
import { presentSchedule } from "./present-schedule.ts";
import { lockSchedule } from "./queries.ts";
import { requireWorkflowScope } from "./workflow-scope.ts";

/** Its runs continue. */
export async function deleteSchedule(ctx: ProjectCtx, id: string): Promise<undefined> {
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
