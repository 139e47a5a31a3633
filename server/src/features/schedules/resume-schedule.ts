import type { Schedule } from "@millrace/contract/schedules";
import { timeFromNow } from "../../flow/schedules/schedule-time.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { changeSchedule } from "./change-schedule.ts";
import { refuseUntriggerable } from "./refuse-untriggerable.ts";

/** Computes the next time from now on: runs missed during the pause are not backfilled. */
export function resumeSchedule(ctx: ProjectCtx, id: string): Promise<Schedule> {
  return changeSchedule(ctx, { id, action: "schedule.resumed" }, async (tx, before) => {
    if (before.paused_at === null) return {};
    await refuseUntriggerable(tx, before);
    return { is_paused: false, next_fire_at: await timeFromNow(tx, before) };
  });
}
