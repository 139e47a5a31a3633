import type { Job, UpdateJob } from "@millrace/contract/jobs/jobs";
import { adoptLeased } from "../../flow/limits/adopt-leased.ts";
import { unblockLimits, unblockMoreLimits, unblockQueue } from "../../flow/limits/block-job.ts";
import { lockQueue } from "../../flow/limits/lock-queue.ts";
import { readTags } from "../../flow/runs/create/merge-tags.ts";
import { refuseDeniedTrigger } from "../../platform/access/policies/refuse-denied.ts";
import { refuseRedirecting } from "../../platform/access/policies/refuse-redirecting.ts";
import { refuseRetagging } from "../../platform/access/policies/refuse-retagging.ts";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { InTransaction, ProjectCtx } from "../../platform/context.ts";
import { violates } from "../../platform/database/database-errors.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { notFound } from "../../platform/errors/errors.ts";
import { throwIssues } from "../../platform/errors/issues.ts";
import { newId } from "../../platform/ids.ts";
import { changedSettings, touches } from "../../platform/settings/changed-settings.ts";
import { slugTaken } from "../../platform/slug.ts";
import { inSlices } from "../../platform/time-slices.ts";
import { encryptHeaders, getJob, presentJob, redactJob } from "./get-job.ts";
import { jobIssues, pairIssues } from "./job-issues.ts";
import { BEHAVIOR, DESTINATIONS, type JobSetting, type JobSettings, LIMITS, TIMES } from "./job-settings.ts";
import { lockJob } from "./queries.ts";
import { readReferences, refuseBeyondKey, refuseVanishedEnvironment } from "./references.ts";
import { insertVersion, keepSchedule, updateJobRow } from "./write-job.ts";

type Change = { before: Job; wanted: Job; changed: ReadonlySet<JobSetting> };

/** A change of behavior creates a new version; accepted runs keep theirs. Without changes, nothing is written. */
export async function updateJob(ctx: ProjectCtx, ref: string, body: UpdateJob): Promise<Job> {
  const { job, hasMore } = await inTransaction(ctx, async (tx) => {
    if (body.queue !== undefined) await lockQueue(tx, tx.project_id, body.queue);
    const change = await readChange(tx, ref, body);
    const { before, changed } = change;
    if (changed.size === 0) return { job: before, hasMore: false };
    const hasMore = await writeChange(tx, change);
    const after = await getJob(tx, before.id);
    await recordAudit(tx, {
      action: "job.updated",
      resource_type: "job",
      resource_id: before.id,
      before: redactJob(before),
      after: redactJob(after),
    });
    return { job: after, hasMore };
  });
  if (hasMore) await unblockMoreLimits(ctx, { project_id: ctx.project_id, job_id: job.id });
  return job;
}

/** The resulting job, checked against the locked row. */
async function readChange(tx: ProjectCtx & InTransaction, ref: string, body: UpdateJob): Promise<Change> {
  const row = await lockJob(tx, ref);
  if (!row) throw notFound("job");
  refuseBeyondKey(tx, row.environment_id);
  const before = await presentJob(tx, row);
  const requested = { ...before, ...body, tags: body.tags ? readTags(body.tags) : before.tags };
  const { references, issues } = await readReferences(tx, requested, before);
  const wanted = { ...requested, ...references };
  const changed = await inSlices(changedSettings<JobSettings>(before, wanted));
  refuseBeyondKey(tx, wanted.environment_id);
  await refuseUnread(tx, before, wanted);
  if (wanted.cron !== null && touches(changed, TIMES)) await refuseDeniedTrigger(tx, "job", before, wanted);
  const moved = DESTINATIONS.filter((name) => changed.has(name));
  await refuseRedirecting(tx, "job", before, moved);
  throwIssues([...(await inSlices(jobIssues(tx.config, wanted, changed))), ...pairIssues(wanted), ...issues]);
  return { before, wanted, changed };
}

/** Runs inherit the job's tags, and its environment unless they name another. */
async function refuseUnread(tx: ProjectCtx, before: Job, wanted: Job): Promise<void> {
  await refuseRetagging(tx, "jobs:read", { type: "job", ...before }, { type: "job", ...wanted });
  const runOf = ({ id, tags, environment_id }: Job) => ({ type: "run", id: "", job_id: id, tags, environment_id });
  await refuseRetagging(tx, "runs:read", runOf(before), runOf(wanted));
}

/** True: more runs are blocked on its limits than were unblocked here. */
async function writeChange(tx: ProjectCtx & InTransaction, { before, wanted, changed }: Change): Promise<boolean> {
  const isNewVersion = touches(changed, BEHAVIOR);
  const version = isNewVersion ? before.version + 1 : before.version;
  const version_id = isNewVersion ? newId() : before.version_id;
  const headers = await encryptHeaders(tx, version_id, wanted.headers);
  const job = { ...wanted, version, version_id, headers };
  if (isNewVersion) await insertVersion(tx, job);
  await updateJobRow(tx, job).catch((error) => {
    if (violates(error, "jobs_slug_idx")) throw slugTaken(wanted.slug);
    return refuseVanishedEnvironment(error, wanted.environment_id);
  });
  if (touches(changed, TIMES)) await keepSchedule(tx, wanted);
  if (!touches(changed, LIMITS)) return false;
  const job_id = before.id;
  // First, because it waits for queue rows in the lock order; unblocking uses another order, but waits for no row.
  await adoptLeased(tx, tx.project_id, [job_id]);
  const { project_id } = tx;
  const isMoved = changed.has("queue") && (await unblockQueue(tx, { project_id, queue: before.queue }));
  return (await unblockLimits(tx, { project_id, job_id })) || isMoved;
}
