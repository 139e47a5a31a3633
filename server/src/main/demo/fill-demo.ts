import { bulkTrigger } from "../../features/jobs/bulk-trigger.ts";
import { createJob } from "../../features/jobs/create-job.ts";
import { triggerJob } from "../../features/jobs/trigger-job.ts";
import { createSchedule } from "../../features/schedules/create-schedule.ts";
import { createWorkflow } from "../../features/workflows/create-workflow.ts";
import { triggerWorkflow } from "../../features/workflows/trigger-workflow.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { withPatience } from "../with-patience.ts";
import { DEMO_JOBS } from "./demo-jobs.ts";
import { DEMO_SCHEDULE, DEMO_WORKFLOW, LARGE_ORDER, SMALL_ORDER } from "./demo-workflow.ts";

const NOBODY = { header: () => {}, status: () => {} };

/** Everything in the demo project, and the runs that move while a newcomer looks around for the first time. */
export async function fillDemo(ctx: ProjectCtx, endpoint: string): Promise<void> {
  const urlOf = (slug: string) => ({ endpoint_url: `${endpoint}/${slug}` });
  const jobs = DEMO_JOBS.map((job) => ({ ...job, ...urlOf(job.slug), max_attempts: job.max_attempts ?? 3 }));
  await Promise.all(jobs.map((job) => withPatience(() => createJob(ctx, job))));
  for (const one of [
    () => createWorkflow(ctx, DEMO_WORKFLOW),
    () => createSchedule(ctx, DEMO_SCHEDULE),
    () => triggerWorkflow(ctx, DEMO_WORKFLOW.slug, { payload: LARGE_ORDER }, NOBODY),
    () => triggerWorkflow(ctx, DEMO_WORKFLOW.slug, { payload: SMALL_ORDER }, NOBODY),
    () => triggerJob(ctx, "import-customers", { payload: { file: "customers.csv" } }, NOBODY),
    () => triggerJob(ctx, "sync-crm", { payload: { customer: "ada", plan: "gratis" } }, NOBODY),
    () => bulkTrigger(ctx, "resize-image", [...images(20, 0), ...images(40, 15)]),
  ])
    await withPatience<unknown>(one);
}

/** So many at once, or one every so many seconds: the charts move for a while. */
function images(count: number, apartSecs: number) {
  return Array.from({ length: count }, (_, nth) => ({
    payload: { image: `photo-${nth + 1}.jpg`, width: 320 + nth * 16 },
    ...(apartSecs > 0 && { delay_secs: (nth + 1) * apartSecs }),
  }));
}
