import { BulkTrigger, BulkTriggerResult, TriggerJob, TriggerQuery } from "@millrace/contract/events/triggers";
import { Run } from "@millrace/contract/runs/runs";
import { projectRoute, type Route } from "../../../platform/route.ts";
import { bulkTrigger } from "./bulk-trigger.ts";
import { isTriggerQueueFull, triggerJob } from "./trigger-job.ts";

const foundBy = { table: "jobs", param: "jobID" } as const;

export const triggerRoutes: Route[] = [
  projectRoute("POST /v1/jobs/{jobID}/trigger", {
    summary: "Start a run of a job",
    scope: "jobs:trigger",
    limit: "trigger",
    isHot: true,
    isOverloaded: isTriggerQueueFull,
    foundBy,
    query: TriggerQuery,
    body: TriggerJob,
    response: Run,
    otherResponses: { 200: Run, 202: Run },
    status: 201,
    takesIdempotencyKey: true,
    errors: [
      "budget_exceeded",
      "conflict",
      "idempotency_conflict",
      "job_disabled",
      "payload_invalid",
      "run_tree_too_large",
      "spawn_depth_exceeded",
    ],
    run: (ctx, { params, query, body, idempotencyKey }, reply) =>
      triggerJob(
        ctx,
        params.jobID,
        { ...body, ...query, ...(idempotencyKey && { header_key: idempotencyKey }) },
        reply,
      ),
  }),
  projectRoute("POST /v1/jobs/{jobID}/trigger/bulk", {
    summary: "Start up to 100 runs of a job",
    scope: "jobs:trigger",
    limit: "bulk_trigger",
    foundBy,
    body: BulkTrigger,
    response: BulkTriggerResult,
    errors: ["conflict"],
    run: (ctx, { params, body }) => bulkTrigger(ctx, params.jobID, body.items),
  }),
];
