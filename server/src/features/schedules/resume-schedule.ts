import type { Schedule } from "@millrace/contract/schedules";
import { timeFromNow } from "../../flow/schedule-time.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { changeSchedule } from "./change-schedule.ts";

/** Counts from now: the times of the pause are not made up for. */
export function resumeSchedule(ctx: ProjectCtx, id: string): Promise<Schedule> {
  return changeSchedule(ctx, { id, action: "schedule.resumed" }, async (tx, before) =>
    before.paused_at === null ? {} : { is_paused: false, next_fire_at: await timeFromNow(tx, before) },
  );
}
