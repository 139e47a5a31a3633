import type { ListJobsQuery } from "@millrace/contract/jobs";
import type { ProjectCtx } from "../../platform/context.ts";
import { presentPage, readPage } from "../../platform/listing/page.ts";
import { presentJob } from "./present-job.ts";
import { listJobs as listRows } from "./queries.ts";

export async function listJobs(ctx: ProjectCtx, query: ListJobsQuery) {
  const page = readPage(ctx, "jobs", query, "j");
  const { data, ...rest } = presentPage(ctx, page, await listRows(ctx, page, query));
  return { data: await Promise.all(data.map((row) => presentJob(ctx, row))), ...rest };
}
