import type { ListJobVersionsQuery } from "@millrace/contract/jobs";
import type { ProjectCtx } from "../../platform/context.ts";
import { notFound } from "../../platform/errors/errors.ts";
import { presentPage, readPage } from "../../platform/listing/page.ts";
import { presentVersion } from "./present-job.ts";
import { findJob } from "./queries.ts";
import { listVersions } from "./version-queries.ts";

export async function listJobVersions(ctx: ProjectCtx, ref: string, query: ListJobVersionsQuery) {
  const job = await findJob(ctx, ref);
  if (!job) throw notFound("job");
  const page = readPage(ctx, `versions of ${job.id}`, query, "v");
  const { data, ...rest } = presentPage(ctx, page, await listVersions(ctx, job.id, page));
  return { data: await Promise.all(data.map((row) => presentVersion(ctx, row))), ...rest };
}
