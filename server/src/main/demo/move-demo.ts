import { listJobs } from "../../features/jobs/list-jobs.ts";
import { updateJob } from "../../features/jobs/update-job.ts";
import { getProject } from "../../features/projects/get-project.ts";
import type { Ctx } from "../../platform/context.ts";
import { Refusal } from "../../platform/errors.ts";
import { devCtx } from "./demo-ctx.ts";
import { DEMO_JOBS } from "./demo-jobs.ts";

/** The service may have another address than at its last start: the demo's jobs follow it. False: the demo is gone. */
export async function moveDemo(ctx: Ctx, project_id: string, endpoint: string): Promise<boolean> {
  const demo = { ...devCtx(ctx), project_id };
  if (!(await exists(getProject(demo, project_id)))) return false;
  const { data } = await listJobs(demo, { limit: 100 });
  const ours = new Set(DEMO_JOBS.map(({ slug }) => slug));
  for (const { slug, endpoint_url } of data) {
    const url = `${endpoint}/${slug}`;
    const isOurs = ours.has(slug) && endpoint_url.endsWith(`/demo/jobs/${slug}`);
    if (isOurs && endpoint_url !== url) await updateJob(demo, slug, { endpoint_url: url });
  }
  return data.some(({ slug }) => ours.has(slug));
}

async function exists(found: Promise<unknown>): Promise<boolean> {
  try {
    await found;
    return true;
  } catch (error) {
    if (error instanceof Refusal && error.code === "not_found") return false;
    throw error;
  }
}
