import type { Schedule } from "@millrace/contract/schedules";
import { type ChangedSchedule, type ScheduleRow, updateSchedule } from "../../flow/schedules/schedule-rows.ts";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { InTransaction, ProjectCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { notFound } from "../../platform/errors/errors.ts";
import { presentSchedule } from "./present-schedule.ts";
import { lockSchedule } from "./queries.ts";
import { requireWorkflowScope } from "./workflow-scope.ts";

type Change = (
  tx: ProjectCtx & InTransaction,
  before: ScheduleRow,
) => Promise<Partial<Omit<ChangedSchedule, "project_id" | "id">>>;

/** Updates one schedule under its lock and audits it. An update that changes nothing writes nothing. */
export async function changeSchedule(
  ctx: ProjectCtx,
  { id, action }: { id: string; action: string },
  change: Change,
): Promise<Schedule> {
  return inTransaction(ctx, async (tx) => {
    const before = await lockSchedule(tx, id);
    if (!before) throw notFound("schedule");
    if (before.workflow_id !== null) requireWorkflowScope(tx, "workflows:write");
    const changes = await change(tx, before);
    if (Object.keys(changes).length === 0) return presentSchedule(before);
    const after = await updateSchedule(tx, { ...before, is_paused: before.paused_at !== null, ...changes });
    await recordAudit(tx, {
      action,
      resource_type: "schedule",
      resource_id: id,
      before: presentSchedule(before),
      after: presentSchedule(after),
    });
    return presentSchedule(after);
  });
}
