import { ListWorkersQuery, WORKER_GONE_SECS, type Worker, WorkerList } from "@millrace/contract/workers/workers";
import type { ProjectCtx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { presentPage, readPage } from "../../platform/listing/page.ts";
import { projectRoute, type Route } from "../../platform/route.ts";

export const workerListRoutes: Route[] = [
  projectRoute("GET /v1/workers", {
    summary: "List live workers",
    scope: "jobs:read",
    query: ListWorkersQuery,
    response: WorkerList,
    run: (ctx, { query }) => listWorkers(ctx, query),
  }),
];

async function listWorkers(ctx: ProjectCtx, query: ListWorkersQuery) {
  const { queue } = query;
  const page = readPage(ctx, "workers", query, "w");
  const { rows } = await sql<Omit<Worker, "$schema">>`
    select w.id, w.worker_id, w.project_id, w.name, w.version, w.labels, w.concurrency, w.queues, w.jobs, w.api_key_id,
      w.created_at, w.last_seen_at, (
        select count(*)::int from run_queue q
        where q.project_id = w.project_id and q.worker_id = w.worker_id and q.worker_id is not null) as in_flight
    from workers w
    where w.project_id = ${ctx.project_id} and w.last_seen_at > clock() - ${WORKER_GONE_SECS} * interval '1 second'
      ${queue === undefined ? sql`` : sql`and (w.queues is null or ${queue} = any(w.queues))`} ${page.after}
    ${page.orderBy} limit ${page.limit + 1}`.execute(ctx.db);
  return presentPage(ctx, page, rows);
}
