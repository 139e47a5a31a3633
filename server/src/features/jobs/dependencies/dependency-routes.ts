import { JobDependencies, PutJobDependencies } from "@millrace/contract/run-dependencies";
import { projectRoute, type Route } from "../../../platform/route.ts";
import { getJobDependencies } from "./get-job-dependencies.ts";
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
