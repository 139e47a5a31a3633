import type { RunCheckpoint, RunLog, RunOutput, RunToolCall, RunUsage } from "@millrace/contract/run-records";
import { sql } from "kysely";
import type { ProjectCtx } from "../../../platform/context.ts";
import type { Page } from "../../../platform/listing/page.ts";

/** Records that a run reported. The caller has found the run, so access was checked. */
type OfRun = { run_id: string; level?: string | undefined };

export async function listRunLogs(ctx: ProjectCtx, { run_id, level }: OfRun, page: Page): Promise<RunLog[]> {
  const { rows } = await sql<RunLog>`
    select t.id, t.run_id, t.job_id, t.attempt, t.level, t.message, t.fields, t.logged_at, t.created_at
    from run_logs t
    where t.project_id = ${ctx.project_id} and t.run_id = ${run_id}
      ${level === undefined ? sql`` : sql`and t.level = ${level}`} ${page.after}
    ${page.orderBy} limit ${page.limit + 1}`.execute(ctx.db);
  return rows;
}

export async function listCheckpoints(ctx: ProjectCtx, { run_id }: OfRun, page: Page): Promise<RunCheckpoint[]> {
  const { rows } = await sql<RunCheckpoint>`
    select t.id, t.run_id, t.attempt, t.state, t.created_at from run_checkpoints t
    where t.project_id = ${ctx.project_id} and t.run_id = ${run_id} ${page.after}
    ${page.orderBy} limit ${page.limit + 1}`.execute(ctx.db);
  return rows;
}

export async function listUsage(ctx: ProjectCtx, { run_id }: OfRun, page: Page): Promise<RunUsage[]> {
  const { rows } = await sql<RunUsage>`
    select t.id, t.run_id, t.attempt, t.provider, t.model, t.input_tokens, t.output_tokens, t.cost_microusd,
      t.metadata, t.created_at
    from run_usage t
    where t.project_id = ${ctx.project_id} and t.run_id = ${run_id} ${page.after}
    ${page.orderBy} limit ${page.limit + 1}`.execute(ctx.db);
  return rows;
}

export async function listToolCalls(ctx: ProjectCtx, { run_id }: OfRun, page: Page): Promise<RunToolCall[]> {
  const { rows } = await sql<RunToolCall>`
    select t.id, t.run_id, t.attempt, t.name, t.status, t.input, t.output, t.error, t.duration_ms, t.created_at
    from run_tool_calls t
    where t.project_id = ${ctx.project_id} and t.run_id = ${run_id} ${page.after}
    ${page.orderBy} limit ${page.limit + 1}`.execute(ctx.db);
  return rows;
}

export async function listOutputs(ctx: ProjectCtx, { run_id }: OfRun, page: Page): Promise<RunOutput[]> {
  const { rows } = await sql<RunOutput>`
    select t.id, t.run_id, t.attempt, t.name, t.value, t.created_at from run_outputs t
    where t.project_id = ${ctx.project_id} and t.run_id = ${run_id} ${page.after}
    ${page.orderBy} limit ${page.limit + 1}`.execute(ctx.db);
  return rows;
}
