import { type ClaimRuns, FIRST_LEASE_SECS } from "@millrace/contract/workers/claims";
import type { ClaimedRun } from "../../flow/runs/claim/claimed-run.ts";
import { bodyForWorker } from "../../flow/runs/dispatch/dispatch-run.ts";
import { claimForWorker } from "../../flow/runs/pull/claim-for-worker.ts";
import { findCatalog, type PullCatalog, type Serves } from "../../flow/runs/pull/pull-catalog.ts";
import { recordWorker } from "../../flow/runs/pull/record-worker.ts";
import { settleForWorker } from "../../flow/runs/pull/settle-for-worker.ts";
import { contextOfAttempt } from "../../flow/trace.ts";
import { signRunToken } from "../../platform/access/credentials/run-token.ts";
import { boundEnvironment } from "../../platform/access/environments.ts";
import type { Caller, ProjectCtx } from "../../platform/context.ts";
import { ApiError, invalid } from "../../platform/errors/errors.ts";
import type { ClosableReply } from "../../platform/route.ts";
import { traceHeaders } from "../../platform/trace-context.ts";

export type ClaimBody = Omit<ClaimRuns, "wait_secs">;

/** The claimed runs as JSON text: payloads are passed on as the database returned them. */
export async function claimText(
  ctx: ProjectCtx,
  body: ClaimBody,
  wait_secs: number,
  reply: ClosableReply,
): Promise<string> {
  const { project_id } = ctx;
  const { worker_id, claim_id, max = 1 } = body;
  const catalog = await catalogFor(ctx, body);
  const serves = readServes(ctx, body, catalog);
  listWorker(ctx, body, serves);
  let isClosed = false;
  reply.onClose(() => {
    isClosed = true;
  });
  const runs = await claimForWorker(ctx, {
    ...{ project_id, worker_id, claim_id, serves, max, wait_secs },
    isClosed: () => isClosed,
    onClose: reply.onClose,
    isAuthorized: reply.isAuthorized,
  });
  const bodies = await Promise.all(runs.map((run) => textOf(ctx, run, catalog)));
  const paused_queues = [...catalog.queues].flatMap(([name, { is_paused }]) =>
    is_paused && (serves.queues?.has(name) ?? true) ? [name] : [],
  );
  const given = `"paused_queues":${JSON.stringify(paused_queues)},"unknown_jobs":${JSON.stringify(unknownJobs(body, catalog))}`;
  return `{"runs":[${bodies.filter((text) => text !== undefined).join(",")}],${given}}`;
}

/** Read again if a queue is not known: it may be new. */
async function catalogFor(ctx: ProjectCtx, { queues = [] }: ClaimBody): Promise<PullCatalog> {
  const known = await findCatalog(ctx, ctx.project_id);
  const isNew = queues.some((name) => !known.queues.has(name));
  return isNew ? findCatalog(ctx, ctx.project_id, performance.now()) : known;
}

/** What the worker asks for, as far as its key allows it. */
function readServes(ctx: ProjectCtx, { queues, jobs }: ClaimBody, catalog: PullCatalog): Serves {
  const allowed = ctx.caller.kind === "api_key" ? (ctx.caller.queues ?? null) : null;
  queues?.forEach((name, index) => {
    if (allowed && !allowed.includes(name))
      throw new ApiError("forbidden", `This key may not serve the queue ${name}; it may serve ${allowed.join(", ")}.`);
    if (!catalog.queues.has(name))
      throw invalid(`body.queues[${index}]`, "is not a queue of this project: create it, or correct the name", name);
  });
  const served = queues ?? allowed ?? undefined;
  return {
    queues: served && new Set(served),
    keyQueues: allowed,
    jobs: jobs && new Set(jobs),
    environments: servedEnvironments(ctx.caller),
  };
}

/** Undefined: all. */
function servedEnvironments(caller: Caller): ReadonlySet<string> | undefined {
  const bound = boundEnvironment(caller);
  if (bound !== null) return new Set([bound]);
  const served = caller.kind === "api_key" ? caller.worker_environment_ids : null;
  return served ? new Set(served) : undefined;
}

/** Not an error: a worker may be deployed before its jobs are created. */
function unknownJobs({ jobs = [] }: ClaimBody, catalog: PullCatalog): string[] {
  const known = new Set([...catalog.jobs].flatMap(([id, { slug }]) => [id, slug]));
  return jobs.filter((job) => !known.has(job));
}

function listWorker(ctx: ProjectCtx, { worker_id, info = {}, jobs }: ClaimBody, { queues }: Serves): void {
  const { name = null, version = null, labels = {}, concurrency = null } = info;
  const api_key_id = ctx.caller.kind === "api_key" ? ctx.caller.key_id : null;
  const claims = {
    name,
    version,
    labels,
    concurrency,
    queues: queues ? [...queues] : null,
    jobs: jobs ?? null,
    api_key_id,
  };
  recordWorker(ctx, { project_id: ctx.project_id, worker_id, claims });
}

/** Undefined: it cannot be executed, and has ended. */
async function textOf(ctx: ProjectCtx, run: ClaimedRun, catalog: PullCatalog): Promise<string | undefined> {
  // In development everything is on one machine.
  const isSafe = ctx.config.mode !== "serve" || ctx.origin.is_private === true;
  const body = await bodyForWorker(ctx, run, isSafe);
  if (typeof body !== "string") {
    await settleForWorker(ctx, { ...run, outcome: body });
    return undefined;
  }
  const queue =
    catalog.jobs.get(run.job_id)?.queue ?? (await findCatalog(ctx, run.project_id)).jobs.get(run.job_id)?.queue;
  const trace = traceHeaders(contextOfAttempt({ ...run, id: run.run_id }, run.attempt));
  const lease = `"queue":${JSON.stringify(queue ?? null)},"run_token":"${signRunToken(ctx, run)}","lease_token":"${run.lease_token}","lease_secs":${FIRST_LEASE_SECS},${JSON.stringify(trace).slice(1, -1)}`;
  return `${body.slice(0, -1)},${lease}}`;
}
