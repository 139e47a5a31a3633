import {
  CreateQueue,
  ListQueuesQuery,
  Queue,
  QueueList,
  QueueState,
  UpdateQueue,
} from "@millrace/contract/workers/queues";
import type { ProjectCtx } from "../../platform/context.ts";
import { notFound } from "../../platform/errors/errors.ts";
import { presentPage, readPage } from "../../platform/listing/page.ts";
import { projectRoute, type Route } from "../../platform/route.ts";
import { switchPause, updateQueue } from "./change-queue.ts";
import { createQueue } from "./create-queue.ts";
import { deleteQueue } from "./delete-queue.ts";
import { findQueueLoad, listQueueLoads, readRates } from "./queries.ts";

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
    summary: "List queues with their current load",
    scope: "jobs:read",
    query: ListQueuesQuery,
    response: QueueList,
    run: (ctx, { query }) => listQueues(ctx, query),
  }),
  projectRoute("GET /v1/queues/{queueName}", {
    summary: "Get a queue with its current load and throughput",
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
  return presentPage(ctx, page, await listQueueLoads(ctx, page));
}

async function getQueue(ctx: ProjectCtx, name: string): Promise<Omit<QueueState, "$schema">> {
  const [queue, rates] = await Promise.all([findQueueLoad(ctx, name), readRates(ctx, name)]);
  if (!queue) throw notFound("queue");
  return { ...queue, ...rates };
}
