import type { Schedule } from "@millrace/contract/schedules";
import type { ProjectCtx } from "../../platform/context.ts";
import { changeSchedule } from "./change-schedule.ts";

/** A paused schedule does not fire. Idempotent. */
export function pauseSchedule(ctx: ProjectCtx, id: string): Promise<Schedule> {
  return changeSchedule(ctx, { id, action: "schedule.paused" }, async (_tx, before) =>
    before.paused_at === null ? { is_paused: true, next_fire_at: null } : {},
  );
}
