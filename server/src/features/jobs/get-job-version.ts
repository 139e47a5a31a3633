import type { JobVersion } from "@millrace/contract/jobs";
import type { ProjectCtx } from "../../platform/context.ts";
import { notFound } from "../../platform/errors/errors.ts";
import { presentVersion } from "./present-job.ts";
import { findJob } from "./queries.ts";
import { findVersion } from "./version-queries.ts";

export async function getJobVersion(ctx: ProjectCtx, ref: string, version_id: string): Promise<JobVersion> {
  const job = await findJob(ctx, ref);
  if (!job) throw notFound("job");
  const row = await findVersion(ctx, job.id, version_id);
  if (!row) throw notFound("version of the job");
  return presentVersion(ctx, row);
}
