import type { ListSchedulesQuery } from "@millrace/contract/schedules";
import type { ProjectCtx } from "../../platform/context.ts";
import { presentPage, readPage } from "../../platform/listing/page.ts";
import { presentSchedule } from "./present-schedule.ts";
import { listSchedules as listRows } from "./queries.ts";

export async function listSchedules(ctx: ProjectCtx, query: ListSchedulesQuery) {
  const page = readPage(ctx, "schedules", query, "s");
  const { data, ...rest } = presentPage(ctx, page, await listRows(ctx, page, query));
  return { data: data.map(presentSchedule), ...rest };
}
