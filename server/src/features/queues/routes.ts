import type { ProblemError } from "@millrace/contract/problem";
import {
  CreateQueue,
  DEFAULT_QUEUE,
  ListQueuesQuery,
  QUEUE_DEFAULTS,
  Queue,
  QueueList,
  QueueState,
  UpdateQueue,
} from "@millrace/contract/workers/queues";
import { adoptLeased } from "../../flow/limits/adopt-leased.ts";
import { unblockMoreOfQueue, unblockQueue } from "../../flow/limits/block-job.ts";
import { lockQueue, touchJobs } from "../../flow/limits/lock-queue.ts";
import { refuseBoundKey } from "../../platform/access/environments.ts";
import { actorOf, createdBy } from "../../platform/actor.ts";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { InTransaction, ProjectCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { ApiError, notFound } from "../../platform/errors/errors.ts";
import { inUseIssues, throwIssues } from "../../platform/errors/issues.ts";
import { newId } from "../../platform/ids.ts";
import { presentPage, readPage } from "../../platform/listing/page.ts";
import { projectRoute, type Route } from "../../platform/route.ts";
import { changedSettings } from "../../platform/settings/changed-settings.ts";
import { inSlices } from "../../platform/time-slices.ts";
import {
  deleteQueueRow,
  findQueue,
  insertQueue,
  listJobsOf,
  listQueueRows,
  type QueueRow,
  readLoad,
  setPaused,
  updateQueueRow,
} from "./queries.ts";

export const queueRoutes: Route[] = [
  projectRoute("POST /v1/queues", {
    summary: "Create a queue: limits and a pause that several jobs share",
    scope: "jobs:write",
    body: CreateQueue,
    response: Queue,
    status: 201,
    errors: ["queue_taken"],
    run: (ctx, { body }) => createQueue(ctx, body),
  }),
  projectRoute("GET /v1/queues", {
    summary: "List queues",
    scope: "jobs:read",
    query: ListQueuesQuery,
    response: QueueList,
    run: (ctx, { query }) => listQueues(ctx, query),
  }),
  projectRoute("GET /v1/queues/{queueName}", {
    summary: "Get a queue with its current load",
    scope: "jobs:read",
    response: QueueState,
    run: (ctx, { params }) => getQueue(ctx, params.queueName),
  }),
  projectRoute("PATCH /v1/queues/{queueName}", {
    summary: "Update a queue; its limits apply at once, to queued runs too",
    scope: "jobs:write",
    body: UpdateQueue,
    response: Queue,
    run: (ctx, { params, body }) => updateQueue(ctx, params.queueName, body),
  }),
  projectRoute("DELETE /v1/queues/{queueName}", {
    summary: "Delete a queue without jobs",
    scope: "jobs:write",
    errors: ["queue_in_use", "queue_is_default"],
    run: (ctx, { params }) => deleteQueue(ctx, params.queueName),
  }),
  projectRoute("POST /v1/queues/{queueName}/pause", {
    summary: "Pause a queue: the runs of its jobs wait",
    scope: "jobs:write",
    response: Queue,
    run: (ctx, { params }) => switchPause(ctx, params.queueName, true),
  }),
  projectRoute("POST /v1/queues/{queueName}/resume", {
    summary: "Resume a paused queue",
    scope: "jobs:write",
    response: Queue,
    run: (ctx, { params }) => switchPause(ctx, params.queueName, false),
  }),
];

async function listQueues(ctx: ProjectCtx, query: ListQueuesQuery) {
  const page = readPage(ctx, "queues", query, "q");
  return presentPage(ctx, page, await listQueueRows(ctx, page));
}

async function getQueue(ctx: ProjectCtx, name: string): Promise<Omit<QueueState, "$schema">> {
  const queue = await findQueue(ctx, name);
  if (!queue) throw notFound("queue");
  return { ...queue, ...(await readLoad(ctx, name)) };
}

async function createQueue(ctx: ProjectCtx, { project_id: _, ...body }: CreateQueue): Promise<QueueRow> {
  refuseBoundKey(ctx.caller, "queues are");
  const queue = { ...QUEUE_DEFAULTS, paused: false, ...body, id: newId(), ...createdBy(actorOf(ctx.caller)) };
  throwIssues(rateIssues(queue));
  return inTransaction(ctx, async (tx) => {
    if (!(await insertQueue(tx, queue)))
      throw new ApiError("queue_taken", `The project already has a queue named ${queue.name}.`);
    const after = (await findQueue(tx, queue.name)) as QueueRow;
    await recordAudit(tx, { action: "queue.created", resource_type: "queue", resource_id: after.id, after });
    return after;
  });
}

function rateIssues(queue: Pick<QueueRow, "rate_limit_max" | "rate_limit_window_secs">): ProblemError[] {
  const { rate_limit_max, rate_limit_window_secs } = queue;
  if ((rate_limit_max === null) === (rate_limit_window_secs === null)) return [];
  const missing = rate_limit_max === null ? "rate_limit_max" : "rate_limit_window_secs";
  const message = "is required: rate_limit_max and rate_limit_window_secs are given together";
  return [{ location: `body.${missing}`, message, value: null }];
}

type Change = { action: "queue.updated" | "queue.paused" | "queue.resumed"; write: () => Promise<void> };

async function updateQueue(ctx: ProjectCtx, name: string, body: UpdateQueue): Promise<QueueRow> {
  return changeQueue(ctx, name, async (tx, before) => {
    const wanted = { ...before, ...body };
    throwIssues(rateIssues(wanted));
    const changed = await inSlices(changedSettings<QueueRow>(before, wanted));
    return changed.size === 0 ? undefined : { action: "queue.updated", write: () => updateQueueRow(tx, wanted) };
  });
}

/** Claims block the queued runs of a paused queue when they come to them; a resume unblocks those. */
function switchPause(ctx: ProjectCtx, name: string, isPaused: boolean): Promise<QueueRow> {
  return changeQueue(ctx, name, async (tx, before) => {
    if (before.paused === isPaused) return undefined;
    return { action: isPaused ? "queue.paused" : "queue.resumed", write: () => setPaused(tx, name, isPaused) };
  });
}

/**
 * Runs that are blocked on a limit or pause of the queue try again under the new ones: the first of them in the
 * transaction, the rest after it. A concurrency limit that is set while runs are active counts them.
 */
async function changeQueue(
  ctx: ProjectCtx,
  name: string,
  decide: (tx: ProjectCtx & InTransaction, before: QueueRow) => Promise<Change | undefined>,
): Promise<QueueRow> {
  refuseBoundKey(ctx.caller, "queues are");
  const key = { project_id: ctx.project_id, queue: name };
  const { queue, hasMore } = await inTransaction(ctx, async (tx) => {
    await lockQueue(tx, tx.project_id, name);
    const before = await findQueue(tx, name);
    if (!before) throw notFound("queue");
    const change = await decide(tx, before);
    if (!change) return { queue: before, hasMore: false };
    await change.write();
    const job_ids = await touchJobs(tx, tx.project_id, name);
    await adoptLeased(tx, tx.project_id, job_ids);
    const more = await unblockQueue(tx, key);
    const after = (await findQueue(tx, name)) as QueueRow;
    const { action } = change;
    await recordAudit(tx, { action, resource_type: "queue", resource_id: before.id, before, after });
    return { queue: after, hasMore: more };
  });
  if (hasMore) await unblockMoreOfQueue(ctx, key);
  return queue;
}

async function deleteQueue(ctx: ProjectCtx, name: string): Promise<undefined> {
  refuseBoundKey(ctx.caller, "queues are");
  await inTransaction(ctx, async (tx) => {
    await lockQueue(tx, tx.project_id, name);
    const before = await findQueue(tx, name);
    if (!before) throw notFound("queue");
    if (name === DEFAULT_QUEUE)
      throw new ApiError("queue_is_default", "Every project has the queue default: it cannot be deleted.");
    const jobs = await listJobsOf(tx, name);
    if (jobs.length > 0) {
      const errors = inUseIssues(jobs, "path.queueName", (job) => `the job "${job.name}" names it`);
      throw new ApiError("queue_in_use", `${jobs.length} jobs still name this queue.`, { errors });
    }
    await deleteQueueRow(tx, name);
    await recordAudit(tx, { action: "queue.deleted", resource_type: "queue", resource_id: before.id, before });
  });
}
