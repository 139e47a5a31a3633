import type { Job } from "@millrace/contract/jobs";
import { blockJob } from "../../flow/limits/block-job.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { switchPause } from "./switch-pause.ts";

/** Queued runs wait, running ones finish, and triggers are still accepted. */
export async function pauseJob(ctx: ProjectCtx, ref: string): Promise<Job> {
  const job = await switchPause(ctx, ref, true);
  await blockJob(ctx, { project_id: ctx.project_id, job_id: job.id });
  return job;
}
