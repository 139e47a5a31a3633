import {
  CreateJob,
  Job,
  JobList,
  JobVersion,
  JobVersionList,
  ListJobsQuery,
  ListJobVersionsQuery,
  UpdateJob,
} from "@millrace/contract/jobs";
import { unblockJob } from "../../flow/limits/block-job.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { notFound } from "../../platform/errors/errors.ts";
import { presentPage, readPage } from "../../platform/listing/page.ts";
import { projectRoute, type Route } from "../../platform/route.ts";
import { createJob } from "./create-job.ts";
import { deleteJob } from "./delete-job.ts";
import { getJob } from "./get-job.ts";
import { listJobs } from "./list-jobs.ts";
import { pauseJob } from "./pause-job.ts";
import { presentVersion } from "./present-job.ts";
import { findJob } from "./queries.ts";
import { jobSemanticValidation, newJobSemanticValidation } from "./semantic-validation.ts";
import { switchPause } from "./switch-pause.ts";
import { updateJob } from "./update-job.ts";
import { findVersion, listVersions } from "./version-queries.ts";

const foundBy = { table: "jobs", param: "jobID" } as const;

export const jobRoutes: Route[] = [
  projectRoute({
    method: "POST",
    path: "/v1/jobs",
    summary: "Create a job",
    scope: "jobs:write",
    body: CreateJob,
    semanticValidation: newJobSemanticValidation,
    response: Job,
    status: 201,
    errors: ["slug_taken"],
    run: (ctx, { body }) => createJob(ctx, body),
  }),
  projectRoute({
    method: "GET",
    path: "/v1/jobs",
    summary: "List jobs",
    scope: "jobs:read",
    query: ListJobsQuery,
    response: JobList,
    run: (ctx, { query }) => listJobs(ctx, query),
  }),
  projectRoute({
    method: "GET",
    path: "/v1/jobs/{jobID}",
    summary: "Get a job",
    scope: "jobs:read",
    foundBy,
    response: Job,
    run: (ctx, { params }) => getJob(ctx, params.jobID),
  }),
  projectRoute({
    method: "PATCH",
    path: "/v1/jobs/{jobID}",
    summary: "Update a job; a change of run behavior creates a new version",
    scope: "jobs:write",
    foundBy,
    body: UpdateJob,
    semanticValidation: jobSemanticValidation,
    response: Job,
    errors: ["slug_taken"],
    run: (ctx, { params, body }) => updateJob(ctx, params.jobID, body),
  }),
  projectRoute({
    method: "DELETE",
    path: "/v1/jobs/{jobID}",
    summary: "Delete a job; its runs are kept",
    scope: "jobs:write",
    foundBy,
    errors: ["job_in_use"],
    run: (ctx, { params }) => deleteJob(ctx, params.jobID),
  }),
  projectRoute({
    method: "GET",
    path: "/v1/jobs/{jobID}/versions",
    summary: "List the versions of a job",
    scope: "jobs:read",
    foundBy,
    query: ListJobVersionsQuery,
    response: JobVersionList,
    run: (ctx, { params, query }) => listJobVersions(ctx, params.jobID, query),
  }),
  projectRoute({
    method: "GET",
    path: "/v1/jobs/{jobID}/versions/{versionID}",
    summary: "Get a version of a job",
    scope: "jobs:read",
    foundBy,
    response: JobVersion,
    run: (ctx, { params }) => getJobVersion(ctx, params.jobID, params.versionID),
  }),
  projectRoute({
    method: "POST",
    path: "/v1/jobs/{jobID}/pause",
    summary: "Pause a job: triggers are accepted, but their runs wait",
    scope: "jobs:write",
    foundBy,
    response: Job,
    run: (ctx, { params }) => pauseJob(ctx, params.jobID),
  }),
  projectRoute({
    method: "POST",
    path: "/v1/jobs/{jobID}/resume",
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
