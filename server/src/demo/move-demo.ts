import { listJobs } from "../features/jobs/list-jobs.ts";
import { updateJob } from "../features/jobs/update-job.ts";
import { getProject } from "../features/projects/get-project.ts";
import { listSubscriptions } from "../features/webhook-subscriptions/list-subscriptions.ts";
import { updateSubscription } from "../features/webhook-subscriptions/update-subscription.ts";
import type { Ctx, ProjectCtx } from "../platform/context.ts";
import { ApiError } from "../platform/errors/errors.ts";
import { devCtx } from "./demo-ctx.ts";
import { DEMO_JOBS } from "./demo-jobs.ts";
import { DEMO_SUBSCRIPTIONS } from "./demo-webhooks.ts";

/**
 * The service may have a new address since its last start: the whole demo is updated. False: the demo was removed.
 */
export async function moveDemo(ctx: Ctx, project_id: string, demoUrl: string): Promise<boolean> {
  const demo = { ...devCtx(ctx), project_id };
  if (!(await exists(getProject(demo, project_id)))) return false;
  await moveSubscriptions(demo, demoUrl);
  return moveJobs(demo, demoUrl);
}

async function moveJobs(demo: ProjectCtx, demoUrl: string): Promise<boolean> {
  const { data } = await listJobs(demo, { limit: 100 });
  const ours = new Set(DEMO_JOBS.map(({ slug }) => slug));
  for (const { slug, endpoint_url } of data) {
    const url = `${demoUrl}/jobs/${slug}`;
    const isOurs = ours.has(slug) && endpoint_url.endsWith(`/demo/jobs/${slug}`);
    if (isOurs && endpoint_url !== url) await updateJob(demo, slug, { endpoint_url: url });
  }
  return data.some(({ slug }) => ours.has(slug));
}

async function moveSubscriptions(demo: ProjectCtx, demoUrl: string): Promise<void> {
  const { data } = await listSubscriptions(demo, { limit: 100 });
  for (const { id, url } of data) {
    const ours = DEMO_SUBSCRIPTIONS.find(({ receiver }) => url.endsWith(`/demo/webhooks/${receiver}`));
    const moved = ours && `${demoUrl}/webhooks/${ours.receiver}`;
    if (moved && url !== moved) await updateSubscription(demo, id, { url: moved });
  }
}

async function exists(found: Promise<unknown>): Promise<boolean> {
  try {
    await found;
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.code === "not_found") return false;
    throw error;
  }
}
