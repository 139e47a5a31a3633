import type { JobDependencies } from "@millrace/contract/run-dependencies";
import { listDefinitions } from "../../../flow/runs/dependencies/list-definitions.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { notFound } from "../../../platform/errors/errors.ts";
import { findJob } from "../queries.ts";

export async function getJobDependencies(ctx: ProjectCtx, ref: string): Promise<JobDependencies> {
  const job = await findJob(ctx, ref);
  if (!job) throw notFound("job");
  return { job_id: job.id, dependencies: await listDefinitions(ctx, ctx.project_id, job.id) };
}
