import { Claim, ClaimRuns, HEARTBEAT_LEASE_SECS } from "@millrace/contract/workers/claims";
import { DrainBody, Drained, Heartbeat, HeartbeatBody, Results, ResultsBody } from "@millrace/contract/workers/reports";
import { heartbeatRuns } from "../../flow/runs/pull/heartbeat-runs.ts";
import { recordWorker, removeWorker } from "../../flow/runs/pull/record-worker.ts";
import { settleForWorker } from "../../flow/runs/pull/settle-for-worker.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { projectRoute, type Route } from "../../platform/route.ts";
import { claimText } from "./claim-text.ts";
import { reportResults } from "./report-results.ts";

/** Requests of workers that claim runs of jobs with `delivery: pull`. */
export const workerRoutes: Route[] = [
  projectRoute("POST /worker/v1/claims", {
    summary: "Claim runs for a worker, and wait for the first",
    scope: "runs:work",
    isHot: true,
    body: ClaimRuns,
    produces: "application/json; charset=utf-8",
    producesSchema: Claim,
    run: (ctx, { body }, reply) => claimText(ctx, body, body.wait_secs ?? 0, reply),
  }),
  projectRoute("POST /worker/v1/heartbeats", {
    summary: "Extend the leases of all runs that a worker holds",
    scope: "runs:work",
    body: HeartbeatBody,
    response: Heartbeat,
    run: (ctx, { body }) => heartbeat(ctx, body),
  }),
  projectRoute("POST /worker/v1/results", {
    summary: "Report the results of a worker's runs, and optionally claim the next",
    scope: "runs:work",
    isHot: true,
    body: ResultsBody,
    produces: "application/json; charset=utf-8",
    producesSchema: Results,
    run: (ctx, { body }, reply) => reportResults(ctx, body, reply),
  }),
  projectRoute("POST /worker/v1/drain", {
    summary: "Release runs that a worker has claimed and not started",
    scope: "runs:work",
    body: DrainBody,
    response: Drained,
    run: (ctx, { body }) => drain(ctx, body),
  }),
];

async function heartbeat(ctx: ProjectCtx, { worker_id, runs }: HeartbeatBody) {
  recordWorker(ctx, { project_id: ctx.project_id, worker_id });
  const renewed = await heartbeatRuns(ctx, ctx.project_id, worker_id, runs);
  return { ...renewed, lease_secs: HEARTBEAT_LEASE_SECS };
}

async function drain(ctx: ProjectCtx, { worker_id, runs }: DrainBody) {
  const { project_id } = ctx;
  const outcome = { kind: "drained" } as const;
  const released = await Promise.all(runs.map((run) => settleForWorker(ctx, { ...run, project_id, outcome })));
  await removeWorker(ctx, project_id, worker_id);
  return {
    released: released.filter(Boolean).length,
    lost: runs.flatMap(({ run_id }, index) => (released[index] ? [] : [run_id])),
  };
}
