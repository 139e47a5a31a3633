import type { Job } from "@millrace/contract/jobs";
import { unblockJob } from "../../flow/limits/block-job.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { switchPause } from "./switch-pause.ts";

export async function resumeJob(ctx: ProjectCtx, ref: string): Promise<Job> {
  const job = await switchPause(ctx, ref, false);
  await unblockJob(ctx, { project_id: ctx.project_id, job_id: job.id });
  return job;
}
