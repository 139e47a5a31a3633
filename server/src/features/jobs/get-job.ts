import type { Job } from "@millrace/contract/jobs";
import type { ProjectCtx } from "../../platform/context.ts";
import { notFound } from "../../platform/errors/errors.ts";
import { presentJob } from "./present-job.ts";
import { findJob } from "./queries.ts";

export async function getJob(ctx: ProjectCtx, ref: string): Promise<Job> {
  const row = await findJob(ctx, ref);
  if (!row) throw notFound("job");
  return presentJob(ctx, row);
}
