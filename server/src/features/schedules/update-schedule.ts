import { isDeepStrictEqual } from "node:util";
import type { Schedule, UpdateSchedule } from "@millrace/contract/jobs/schedules";
import { type ScheduleRow, timeAfterChange } from "../../flow/schedules/schedule-rows.ts";
import { refuseOtherOwnerEnvironment } from "../../platform/access/policies/refuse-denied.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { ApiError } from "../../platform/errors/errors.ts";
import { collectIssues, throwIssues } from "../../platform/errors/issues.ts";
import { changeSchedule } from "./change-schedule.ts";
import { chooseEnvironment, refuseUntriggerable, timesIssues } from "./check-schedule.ts";

export function updateSchedule(ctx: ProjectCtx, id: string, body: UpdateSchedule): Promise<Schedule> {
  return changeSchedule(ctx, { id, action: "schedule.updated" }, async (tx, before) => {
    const sent = changesOf(before, asRoute(body));
    refuseDefault(before, sent);
    const [, environment_id] = await collectIssues(
      () => throwIssues((sent.cron ?? sent.timezone) ? timesIssues({ ...before, ...sent }) : []),
      () => (sent.environment_id === undefined ? undefined : chooseEnvironment(tx, sent.environment_id)),
    );
    const changes = changesOf(before, { ...sent, ...(environment_id !== undefined && { environment_id }) });
    if (Object.keys(changes).length === 0) return {};
    if ("environment_id" in changes) await refuseOtherOwnerEnvironment(tx, { ...before, ...changes }, before);
    await refuseUntriggerable(tx, { ...before, ...changes });
    return { ...changes, next_fire_at: await timeAfterChange(tx, before, { ...before, ...changes }) };
  });
}

function asRoute({ payload, ...body }: UpdateSchedule): Partial<ScheduleRow> {
  return { ...body, ...(payload !== undefined && { payload: payload ?? {} }) };
}

/** Fields sent back unchanged do not count as a change, so that GET, edit, PATCH works. */
function changesOf(before: ScheduleRow, requested: Partial<ScheduleRow>): Partial<ScheduleRow> {
  const changed = Object.entries(requested).filter(
    ([name, value]) => value !== undefined && !isDeepStrictEqual(value, before[name as keyof ScheduleRow]),
  );
  return Object.fromEntries(changed);
}

function refuseDefault({ is_default, workflow_id }: ScheduleRow, changes: Partial<ScheduleRow>): void {
  const ofTheOwner = ["cron", "timezone", "overlap_policy"].filter((name) => name in changes);
  if (!is_default || ofTheOwner.length === 0) return;
  const owner = workflow_id === null ? "job" : "workflow";
  const names = ofTheOwner.join(", ");
  throw new ApiError(
    "schedule_is_default",
    `This is the ${owner}'s default schedule: change ${names} in the ${owner}.`,
    {
      errors: ofTheOwner.map((name) => ({
        location: `body.${name}`,
        message: `can only be changed in the ${owner}`,
        value: changes[name as keyof ScheduleRow] ?? null,
      })),
    },
  );
}
