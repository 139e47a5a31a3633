import { sql } from "kysely";
import { RUN_COLUMNS, type RunRow } from "../../flow/runs/run-columns.ts";
import { WORKFLOW_RUN_COLUMNS, type WorkflowRunRow } from "../../flow/workflows/workflow-run-columns.ts";
import type { Ctx } from "../../platform/context.ts";

/** Reads the current runs by id. Each is looked up by its key, whatever the plan. */
export async function readRuns(
  ctx: Ctx,
  keys: readonly { project_id: string; run_id: string }[],
): Promise<Map<string, RunRow>> {
  const { rows } = await sql<RunRow>`
    select ${RUN_COLUMNS} from (
      select distinct * from unnest(${keys.map((key) => key.project_id)}::uuid[], ${keys.map((key) => key.run_id)}::uuid[])
        as g(project_id, run_id)
    ) g, lateral (select r.* from runs r where r.project_id = g.project_id and r.id = g.run_id offset 0) r
  `.execute(ctx.db);
  return new Map(rows.map((row) => [row.id, row]));
}

export async function readWorkflowRuns(
  ctx: Ctx,
  keys: readonly { project_id: string; workflow_run_id: string }[],
): Promise<Map<string, WorkflowRunRow>> {
  const { rows } = await sql<WorkflowRunRow>`
    select ${WORKFLOW_RUN_COLUMNS} from (
      select distinct * from unnest(
        ${keys.map((key) => key.project_id)}::uuid[], ${keys.map((key) => key.workflow_run_id)}::uuid[])
        as g(project_id, workflow_run_id)
    ) g, lateral (
      select w.* from workflow_runs w where w.project_id = g.project_id and w.id = g.workflow_run_id offset 0
    ) w`.execute(ctx.db);
  return new Map(rows.map((row) => [row.id, row]));
}
