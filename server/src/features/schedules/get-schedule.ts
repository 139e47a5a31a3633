import type { Schedule } from "@millrace/contract/schedules";
import type { ProjectCtx } from "../../platform/context.ts";
import { notFound } from "../../platform/errors/errors.ts";
import { presentSchedule } from "./present-schedule.ts";
import { findSchedule } from "./queries.ts";

export async function getSchedule(ctx: ProjectCtx, id: string): Promise<Schedule> {
  const row = await findSchedule(ctx, id);
  if (!row) throw notFound("schedule");
  return presentSchedule(row);
}
