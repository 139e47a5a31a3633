import { holdsScope, type Scope } from "@millrace/contract/access/scopes";
import type { Schedule } from "@millrace/contract/jobs/schedules";
import { type ChangedSchedule, type ScheduleRow, updateSchedule } from "../../flow/schedules/schedule-rows.ts";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { InTransaction, ProjectCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { ApiError, notFound } from "../../platform/errors/errors.ts";
import { lockSchedule, presentSchedule } from "./queries.ts";

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

/** A schedule of a workflow does what the workflow's own paths do, so it requires the same scopes. */
export function requireWorkflowScope({ caller }: ProjectCtx, scope: Scope): void {
  if (holdsScope(caller.scopes, scope)) return;
  throw new ApiError("scope_missing", `This is a schedule of a workflow, which requires the scope ${scope}.`);
}
