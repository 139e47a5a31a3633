import type { CreateSchedule, Schedule } from "@millrace/contract/schedules";
import { insertSchedule } from "../../flow/schedules/schedule-rows.ts";
import { timeFromNow } from "../../flow/schedules/schedule-time.ts";
import { refuseOwnerElsewhere } from "../../platform/access/policies/refuse-owner-elsewhere.ts";
import { actorOf, createdBy } from "../../platform/actor.ts";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { collectIssues } from "../../platform/errors/collect-issues.ts";
import { throwIssues } from "../../platform/errors/throw-issues.ts";
import { newId } from "../../platform/ids.ts";
import { chooseEnvironment, timesIssues } from "./check-schedule.ts";
import { chooseOwner } from "./choose-owner.ts";
import { presentSchedule } from "./present-schedule.ts";

export async function createSchedule(ctx: ProjectCtx, body: CreateSchedule): Promise<Schedule> {
  const { name = null, cron, timezone = "UTC", overlap_policy = "allow", paused: is_paused = false } = body;
  return inTransaction(ctx, async (tx) => {
    const [, environment_id, owner] = await collectIssues(
      () => throwIssues(timesIssues({ cron, timezone })),
      () => chooseEnvironment(tx, body.environment_id),
      () => chooseOwner(tx, body),
    );
    await refuseOwnerElsewhere(tx, { ...owner, environment_id });
    const row = await insertSchedule(tx, {
      ...{ project_id: ctx.project_id, id: newId(), ...createdBy(actorOf(ctx.caller)), is_default: false },
      ...{ name, ...owner, cron, timezone, overlap_policy, environment_id, is_paused },
      payload: body.payload ?? {},
      next_fire_at: is_paused ? null : await timeFromNow(tx, { cron, timezone }),
    });
    const after = presentSchedule(row);
    await recordAudit(tx, {
      action: "schedule.created",
      resource_type: "schedule",
      resource_id: row.id,
      after,
    });
    return after;
  });
}
