import { RunCost } from "@millrace/contract/analytics/run-cost";
import { RunDependencyStatus } from "@millrace/contract/runs/run-dependencies";
import { RunExplanation } from "@millrace/contract/runs/run-explanation";
import {
  ListRunLogsQuery,
  ListRunRecordsQuery,
  type RunCheckpoint,
  RunCheckpointList,
  type RunLog,
  RunLogList,
  type RunOutput,
  RunOutputList,
  type RunToolCall,
  RunToolCallList,
  type RunUsage,
  RunUsageList,
} from "@millrace/contract/runs/run-records";
import { readRunCosts } from "../../../flow/budget/read-run-costs.ts";
import { outcomeOf } from "../../../flow/runs/dispatch/dispatch-cost.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { type Page, presentPage, readPage } from "../../../platform/listing/page.ts";
import { projectRoute, type Route } from "../../../platform/route.ts";
import { explainRun } from "../explain/explain-run.ts";
import { getDependencyStatus } from "../explain/explain-waits.ts";
import { getRun } from "../queries.ts";

const foundBy = { table: "runs", param: "runID" } as const;

/** Routes for the records that runs report. */
export const runRecordRoutes: Route[] = [
  projectRoute("GET /v1/runs/{runID}/logs", {
    summary: "List the log lines of a run",
    scope: "runs:read",
    foundBy,
    query: ListRunLogsQuery,
    response: RunLogList,
    run: (ctx, { params, query }) => listRecords(ctx, params.runID, { name: "logs", read: listRunLogs, query }),
  }),
  projectRoute("GET /v1/runs/{runID}/checkpoints", {
    summary: "List the checkpoints of a run",
    scope: "runs:read",
    foundBy,
    query: ListRunRecordsQuery,
    response: RunCheckpointList,
    run: (ctx, { params, query }) =>
      listRecords(ctx, params.runID, { name: "checkpoints", read: listCheckpoints, query }),
  }),
  projectRoute("GET /v1/runs/{runID}/usage", {
    summary: "List the usage records of a run",
    scope: "runs:read",
    foundBy,
    query: ListRunRecordsQuery,
    response: RunUsageList,
    run: (ctx, { params, query }) => listRecords(ctx, params.runID, { name: "usage", read: listUsage, query }),
  }),
  projectRoute("GET /v1/runs/{runID}/tool-calls", {
    summary: "List the tool calls of a run",
    scope: "runs:read",
    foundBy,
    query: ListRunRecordsQuery,
    response: RunToolCallList,
    run: (ctx, { params, query }) => listRecords(ctx, params.runID, { name: "tool-calls", read: listToolCalls, query }),
  }),
  projectRoute("GET /v1/runs/{runID}/outputs", {
    summary: "List the named outputs of a run",
    scope: "runs:read",
    foundBy,
    query: ListRunRecordsQuery,
    response: RunOutputList,
    run: (ctx, { params, query }) => listRecords(ctx, params.runID, { name: "outputs", read: listOutputs, query }),
  }),
];

/** One kind of record that runs report. */
type Kind<T> = {
  name: string;
  read: (ctx: ProjectCtx, of: { run_id: string; level?: string | undefined }, page: Page) => Promise<T[]>;
  query: ListRunLogsQuery;
};

/** Returns a page of a run's records, oldest first by default. */
async function listRecords<T extends { id: string; created_at: string }>(
  ctx: ProjectCtx,
  id: string,
  { name, read, query }: Kind<T>,
) {
  const run = await getRun(ctx, id);
  const page = readPage(ctx, `runs/${run.id}/${name}`, { order: "asc", ...query }, "t");
  return presentPage(ctx, page, await read(ctx, { run_id: run.id, level: query.level }, page));
}

/** Records that a run reported. The caller has found the run, so access was checked. */
type OfRun = { run_id: string; level?: string | undefined };

async function listRunLogs(ctx: ProjectCtx, { run_id, level }: OfRun, page: Page): Promise<RunLog[]> {
  const { rows } = await sql<RunLog>`
    select t.id, t.run_id, t.job_id, t.attempt, t.level, t.message, t.fields, t.logged_at, t.created_at
    from run_logs t
    where t.project_id = ${ctx.project_id} and t.run_id = ${run_id}
      ${level === undefined ? sql`` : sql`and t.level = ${level}`} ${page.after}
    ${page.orderBy} limit ${page.limit + 1}`.execute(ctx.db);
  return rows;
}

async function listCheckpoints(ctx: ProjectCtx, { run_id }: OfRun, page: Page): Promise<RunCheckpoint[]> {
  const { rows } = await sql<RunCheckpoint>`
    select t.id, t.run_id, t.attempt, t.state, t.created_at from run_checkpoints t
    where t.project_id = ${ctx.project_id} and t.run_id = ${run_id} ${page.after}
    ${page.orderBy} limit ${page.limit + 1}`.execute(ctx.db);
  return rows;
}

async function listUsage(ctx: ProjectCtx, { run_id }: OfRun, page: Page): Promise<RunUsage[]> {
  const { rows } = await sql<RunUsage>`
    select t.id, t.run_id, t.attempt, t.provider, t.model, t.input_tokens, t.output_tokens, t.cost_microusd,
      t.metadata, t.created_at
    from run_usage t
    where t.project_id = ${ctx.project_id} and t.run_id = ${run_id} ${page.after}
    ${page.orderBy} limit ${page.limit + 1}`.execute(ctx.db);
  return rows;
}

async function listToolCalls(ctx: ProjectCtx, { run_id }: OfRun, page: Page): Promise<RunToolCall[]> {
  const { rows } = await sql<RunToolCall>`
    select t.id, t.run_id, t.attempt, t.name, t.status, t.input, t.output, t.error, t.duration_ms, t.created_at
    from run_tool_calls t
    where t.project_id = ${ctx.project_id} and t.run_id = ${run_id} ${page.after}
    ${page.orderBy} limit ${page.limit + 1}`.execute(ctx.db);
  return rows;
}

async function listOutputs(ctx: ProjectCtx, { run_id }: OfRun, page: Page): Promise<RunOutput[]> {
  const { rows } = await sql<RunOutput>`
    select t.id, t.run_id, t.attempt, t.name, t.value, t.created_at from run_outputs t
    where t.project_id = ${ctx.project_id} and t.run_id = ${run_id} ${page.after}
    ${page.orderBy} limit ${page.limit + 1}`.execute(ctx.db);
  return rows;
}

const MAX_ATTEMPTS = 100;

/** The cost of a run so far: its reported usage, and the time of its ended dispatches. */
async function getRunCost(ctx: ProjectCtx, id: string): Promise<Omit<RunCost, "$schema">> {
  const run = await getRun(ctx, id);
  const dispatches = await readRunCosts(ctx, ctx.project_id, [run.id]);
  const sum = (name: "compute_microusd" | "wall_ms") =>
    dispatches.reduce((total, each) => Math.min(total + each[name], Number.MAX_SAFE_INTEGER), 0);
  const compute_microusd = sum("compute_microusd");
  return {
    run_id: run.id,
    total_microusd: Math.min(run.cost_microusd + compute_microusd, Number.MAX_SAFE_INTEGER),
    reported_microusd: run.cost_microusd,
    compute_microusd,
    wall_ms: sum("wall_ms"),
    dispatches: dispatches.length,
    is_running: run.status === "running",
    attempts: dispatches.slice(-MAX_ATTEMPTS).map(({ attempt, to_status, cause, ...costs }) => {
      const { wall_ms, compute_microusd, reported_microusd } = costs;
      return { attempt, outcome: outcomeOf({ to_status, cause }), wall_ms, compute_microusd, reported_microusd };
    }),
  };
}

export const runCostRoutes: Route[] = [
  projectRoute("GET /v1/runs/{runID}/cost", {
    summary: "Get the cost of a run: reported usage and compute",
    scope: "runs:read",
    foundBy: { table: "runs", param: "runID" },
    response: RunCost,
    run: (ctx, { params }) => getRunCost(ctx, params.runID),
  }),
];

/** Routes that explain the state of a run. */
export const runWhyRoutes: Route[] = [
  projectRoute("GET /v1/runs/{runID}/dependency-status", {
    summary: "Show the dependencies of a run, and whether it is unblocked",
    scope: "runs:read",
    foundBy,
    response: RunDependencyStatus,
    run: (ctx, { params }) => getDependencyStatus(ctx, params.runID),
  }),
  projectRoute("GET /v1/runs/{runID}/explain", {
    summary: "Explain why a run is not running, and what would start it",
    scope: "runs:read",
    foundBy,
    response: RunExplanation,
    run: (ctx, { params }) => explainRun(ctx, params.runID),
  }),
];
