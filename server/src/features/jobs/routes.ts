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
import { projectRoute, type Route } from "../../platform/route.ts";
import { createJob } from "./create-job.ts";
import { deleteJob } from "./delete-job.ts";
import { getJob } from "./get-job.ts";
import { getJobVersion } from "./get-job-version.ts";
import { listJobVersions } from "./list-job-versions.ts";
import { listJobs } from "./list-jobs.ts";
import { pauseJob } from "./pause-job.ts";
import { resumeJob } from "./resume-job.ts";
import { jobSemanticValidation, newJobSemanticValidation } from "./semantic-validation.ts";
import { updateJob } from "./update-job.ts";

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
