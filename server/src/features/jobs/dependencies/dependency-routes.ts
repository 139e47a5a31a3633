import { JobDependencies, PutJobDependencies } from "@millrace/contract/run-dependencies";
import { listDefinitions } from "../../../flow/runs/dependencies/list-definitions.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { notFound } from "../../../platform/errors/errors.ts";
import { projectRoute, type Route } from "../../../platform/route.ts";
import { findJob } from "../queries.ts";
import { putJobDependencies } from "./put-job-dependencies.ts";

const foundBy = { table: "jobs", param: "jobID" } as const;

export const jobDependencyRoutes: Route[] = [
  projectRoute({
    method: "GET",
    path: "/v1/jobs/{jobID}/dependencies",
    summary: "Get the dependencies of a job",
    scope: "jobs:read",
    foundBy,
    response: JobDependencies,
    run: (ctx, { params }) => getJobDependencies(ctx, params.jobID),
  }),
  projectRoute({
    method: "PUT",
    path: "/v1/jobs/{jobID}/dependencies",
    summary: "Set the dependencies of a job",
    scope: "jobs:write",
    foundBy,
    body: PutJobDependencies,
    response: JobDependencies,
    errors: ["dependency_cycle"],
    run: (ctx, { params, body }) => putJobDependencies(ctx, params.jobID, body.dependencies),
  }),
];

async function getJobDependencies(ctx: ProjectCtx, ref: string): Promise<JobDependencies> {
  const job = await findJob(ctx, ref);
  if (!job) throw notFound("job");
  return { job_id: job.id, dependencies: await listDefinitions(ctx, ctx.project_id, job.id) };
}
