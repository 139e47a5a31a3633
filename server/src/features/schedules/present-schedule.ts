import type { Schedule } from "@millrace/contract/schedules";
import type { ScheduleRow } from "../../flow/schedules/schedule-rows.ts";

export function presentSchedule(row: ScheduleRow): Schedule {
  return { ...row, paused: row.paused_at !== null };
}
