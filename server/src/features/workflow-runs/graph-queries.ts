import type { WorkflowGraph } from "@millrace/contract/workflow-graph";
import { sql } from "kysely";
import { wholeMs } from "../../flow/workflows/plan/read-estimates.ts";
import type { ProjectCtx } from "../../platform/context.ts";

export type GraphStep = Omit<WorkflowGraph["nodes"][number], "estimate_ms">;

export async function listGraphSteps(ctx: ProjectCtx, workflow_run_id: string): Promise<GraphStep[]> {
  const { rows } = await sql<GraphStep>`
    select step_ref, type, status, generation, error, cause, cause_ref, run_id, event_trigger_id, message,
      compensation_status, compensation_run_id, compensation_error, compensated_at, started_at, finished_at,
      extract(epoch from coalesce(finished_at, clock()) - started_at)::float8 * 1000 as duration_ms
    from step_runs where project_id = ${ctx.project_id} and workflow_run_id = ${workflow_run_id}
    order by position`.execute(ctx.db);
  return rows.map((row) => ({ ...row, duration_ms: row.duration_ms === null ? null : wholeMs(row.duration_ms) }));
}
