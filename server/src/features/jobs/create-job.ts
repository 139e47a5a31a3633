import { type CreateJob, JOB_DEFAULTS, type Job } from "@millrace/contract/jobs/jobs";
import { DEFAULT_QUEUE } from "@millrace/contract/workers/queues";
import { lockQueue } from "../../flow/limits/lock-queue.ts";
import { readTags } from "../../flow/runs/create/merge-tags.ts";
import { refuseDeniedTrigger } from "../../platform/access/policies/refuse-denied.ts";
import { actorOf, createdBy } from "../../platform/actor.ts";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { throwIssues } from "../../platform/errors/issues.ts";
import { newId } from "../../platform/ids.ts";
import { insertWithSlug } from "../../platform/slug.ts";
import { inSlices } from "../../platform/time-slices.ts";
import { encryptHeaders, getJob, redactJob } from "./get-job.ts";
import { jobIssues, pairIssues } from "./job-issues.ts";
import type { JobSetting, JobSettings } from "./job-settings.ts";
import { chosenEnvironment, readReferences, refuseVanishedEnvironment } from "./references.ts";
import { insertJob, insertVersion, keepSchedule } from "./write-job.ts";

export async function createJob(ctx: ProjectCtx, body: CreateJob): Promise<Job> {
  const requested = readSettings(ctx, body);
  const all = new Set(Object.keys(requested) as JobSetting[]);
  const [id, version_id] = [newId(), newId()];
  return inTransaction(ctx, async (tx) => {
    await lockQueue(tx, tx.project_id, requested.queue);
    const { references, issues } = await readReferences(tx, requested, {
      id,
      environment_id: null,
      on_failure_job_id: null,
      queue: DEFAULT_QUEUE,
    });
    const settings = { ...requested, ...references };
    throwIssues([...(await inSlices(jobIssues(ctx.config, settings, all))), ...pairIssues(settings), ...issues]);
    if (settings.cron !== null) await refuseDeniedTrigger(tx, "job", { ...settings, id });
    const headers = await encryptHeaders(tx, version_id, settings.headers);
    const job = { ...settings, id, version: 1, version_id, headers, ...createdBy(actorOf(ctx.caller)) };
    await insertWithSlug(body, (slug) => insertJob(tx, { ...job, slug })).catch((error) =>
      refuseVanishedEnvironment(error, job.environment_id),
    );
    await insertVersion(tx, job);
    if (job.cron !== null) await keepSchedule(tx, job);
    const created = await getJob(tx, id);
    await recordAudit(tx, { action: "job.created", resource_type: "job", resource_id: id, after: redactJob(created) });
    return created;
  });
}

/** The slug is chosen at the insert. */
function readSettings(ctx: ProjectCtx, { project_id: _, ...body }: CreateJob): JobSettings {
  return {
    ...(JOB_DEFAULTS as unknown as Omit<JobSettings, "name" | "slug">),
    ...body,
    endpoint_url: body.endpoint_url ?? null,
    slug: body.slug ?? "",
    tags: readTags(body.tags),
    environment_id: chosenEnvironment(ctx, body.environment_id),
  };
}
