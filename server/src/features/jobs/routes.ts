import {
  CreateJob,
  JOB_DEFAULTS,
  Job,
  JobList,
  JobVersion,
  JobVersionList,
  ListJobsQuery,
  ListJobVersionsQuery,
  UpdateJob,
} from "@millrace/contract/jobs/jobs";
import type { ProblemError } from "@millrace/contract/schema/problem";
import { blockJob, unblockJob } from "../../flow/limits/block-job.ts";
import { removeSchedulesOf } from "../../flow/schedules/keep-default-schedule.ts";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { ApiError, notFound } from "../../platform/errors/errors.ts";
import { inUseIssues } from "../../platform/errors/issues.ts";
import { presentPage, readPage } from "../../platform/listing/page.ts";
import { projectRoute, type Route, type SemanticValidation } from "../../platform/route.ts";
import { inSlices } from "../../platform/time-slices.ts";
import { createJob } from "./create-job.ts";
import { getJob, listJobs, presentJob, presentVersion, redactJob } from "./get-job.ts";
import { jobIssues, PAIRED, pairIssues } from "./job-issues.ts";
import type { JobSetting, JobSettings } from "./job-settings.ts";
import {
  type Dependent,
  findJob,
  findVersion,
  listDependents,
  listVersions,
  lockJob,
  lockJobToDelete,
  markDeleted,
  setPaused,
} from "./queries.ts";
import { refuseBeyondKey } from "./references.ts";
import { updateJob } from "./update-job.ts";

const foundBy = { table: "jobs", param: "jobID" } as const;

export const jobRoutes: Route[] = [
  projectRoute("POST /v1/jobs", {
    summary: "Create a job",
    scope: "jobs:write",
    body: CreateJob,
    semanticValidation: newJobSemanticValidation,
    response: Job,
    status: 201,
    errors: ["slug_taken"],
    run: (ctx, { body }) => createJob(ctx, body),
  }),
  projectRoute("GET /v1/jobs", {
    summary: "List jobs",
    scope: "jobs:read",
    query: ListJobsQuery,
    response: JobList,
    run: (ctx, { query }) => listJobs(ctx, query),
  }),
  projectRoute("GET /v1/jobs/{jobID}", {
    summary: "Get a job",
    scope: "jobs:read",
    foundBy,
    response: Job,
    run: (ctx, { params }) => getJob(ctx, params.jobID),
  }),
  projectRoute("PATCH /v1/jobs/{jobID}", {
    summary: "Update a job; a change of run behavior creates a new version",
    scope: "jobs:write",
    foundBy,
    body: UpdateJob,
    semanticValidation: jobSemanticValidation,
    response: Job,
    errors: ["slug_taken"],
    run: (ctx, { params, body }) => updateJob(ctx, params.jobID, body),
  }),
  projectRoute("DELETE /v1/jobs/{jobID}", {
    summary: "Delete a job; its runs are kept",
    scope: "jobs:write",
    foundBy,
    errors: ["job_in_use"],
    run: (ctx, { params }) => deleteJob(ctx, params.jobID),
  }),
  projectRoute("GET /v1/jobs/{jobID}/versions", {
    summary: "List the versions of a job",
    scope: "jobs:read",
    foundBy,
    query: ListJobVersionsQuery,
    response: JobVersionList,
    run: (ctx, { params, query }) => listJobVersions(ctx, params.jobID, query),
  }),
  projectRoute("GET /v1/jobs/{jobID}/versions/{versionID}", {
    summary: "Get a version of a job",
    scope: "jobs:read",
    foundBy,
    response: JobVersion,
    run: (ctx, { params }) => getJobVersion(ctx, params.jobID, params.versionID),
  }),
  projectRoute("POST /v1/jobs/{jobID}/pause", {
    summary: "Pause a job: triggers are accepted, but their runs wait",
    scope: "jobs:write",
    foundBy,
    response: Job,
    run: (ctx, { params }) => pauseJob(ctx, params.jobID),
  }),
  projectRoute("POST /v1/jobs/{jobID}/resume", {
    summary: "Resume a paused job",
    scope: "jobs:write",
    foundBy,
    response: Job,
    run: (ctx, { params }) => resumeJob(ctx, params.jobID),
  }),
];

async function resumeJob(ctx: ProjectCtx, ref: string): Promise<Job> {
  const job = await switchPause(ctx, ref, false);
  await unblockJob(ctx, { project_id: ctx.project_id, job_id: job.id });
  return job;
}

async function getJobVersion(ctx: ProjectCtx, ref: string, version_id: string): Promise<JobVersion> {
  const job = await findJob(ctx, ref);
  if (!job) throw notFound("job");
  const row = await findVersion(ctx, job.id, version_id);
  if (!row) throw notFound("version of the job");
  return presentVersion(ctx, row);
}

async function listJobVersions(ctx: ProjectCtx, ref: string, query: ListJobVersionsQuery) {
  const job = await findJob(ctx, ref);
  if (!job) throw notFound("job");
  const page = readPage(ctx, `versions of ${job.id}`, query, "v");
  const { data, ...rest } = presentPage(ctx, page, await listVersions(ctx, job.id, page));
  return { data: await Promise.all(data.map((row) => presentVersion(ctx, row))), ...rest };
}

/** Changes nothing if the job is already in that state. */
async function switchPause(ctx: ProjectCtx, ref: string, isPaused: boolean): Promise<Job> {
  return inTransaction(ctx, async (tx) => {
    const row = await lockJob(tx, ref);
    if (!row) throw notFound("job");
    refuseBeyondKey(tx, row.environment_id);
    const before = await presentJob(tx, row);
    if ((row.paused_at !== null) === isPaused) return before;
    await setPaused(tx, row.id, isPaused);
    const after = await getJob(tx, row.id);
    await recordAudit(tx, {
      action: isPaused ? "job.paused" : "job.resumed",
      resource_type: "job",
      resource_id: row.id,
      before: redactJob(before),
      after: redactJob(after),
    });
    return after;
  });
}

/** Queued runs wait, running ones finish, and triggers are still accepted. */
async function pauseJob(ctx: ProjectCtx, ref: string): Promise<Job> {
  const job = await switchPause(ctx, ref, true);
  await blockJob(ctx, { project_id: ctx.project_id, job_id: job.id });
  return job;
}

/**
 * Hides the job from every caller at once. Accepted runs finish and stay readable; the row is removed once no run
 * refers to it.
 */
async function deleteJob(ctx: ProjectCtx, ref: string): Promise<undefined> {
  const job_id = await inTransaction(ctx, async (tx) => {
    const row = await lockJobToDelete(tx, ref);
    if (!row) throw notFound("job");
    refuseBeyondKey(tx, row.environment_id);
    refuseInUse(await listDependents(tx, row.id));
    const before = redactJob(await presentJob(tx, row));
    await removeSchedulesOf(tx, { project_id: tx.project_id, job_id: row.id });
    await markDeleted(tx, row.id);
    await recordAudit(tx, { action: "job.deleted", resource_type: "job", resource_id: row.id, before });
    return row.id;
  });
  await unblockJob(ctx, { project_id: ctx.project_id, job_id });
}

function refuseInUse(dependents: Dependent[]): void {
  if (dependents.length === 0) return;
  const errors = inUseIssues(
    dependents,
    "path.jobID",
    ({ kind, name, is_step }) =>
      `the ${kind} "${name}" names it as ${is_step ? "the job of a step, or its compensation" : "its on_failure_job_id"}`,
  );
  const by = errors.map(({ message }) => message).join("; ");
  throw new ApiError("job_in_use", `The job is in use: ${by}.`, { errors });
}

/** Semantic validation of the given settings of a job. */
function jobSemanticValidation(left: Partial<CreateJob>, { config }: SemanticValidation): Promise<ProblemError[]> {
  return inSlices(jobIssues(config, withDefaults(left), new Set(Object.keys(left) as JobSetting[])));
}

/** Semantic validation of a new job, whose other settings have their defaults. */
async function newJobSemanticValidation(
  left: Partial<CreateJob>,
  context: SemanticValidation,
): Promise<ProblemError[]> {
  const isRead = !PAIRED.some((name) => context.refused.has(`body.${name}`));
  return [...(await jobSemanticValidation(left, context)), ...(isRead ? pairIssues(withDefaults(left)) : [])];
}

/** Settings without a default are checked only when given. */
function withDefaults(left: Partial<CreateJob>): JobSettings {
  return { ...JOB_DEFAULTS, ...left } as unknown as JobSettings;
}
