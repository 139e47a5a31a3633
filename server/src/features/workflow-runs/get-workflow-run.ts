import { leaveOutOfRuns } from "../../flow/workflows/operate/leave-out-denied.ts";
import type { WorkflowRunRow } from "../../flow/workflows/workflow-run-columns.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { notFound } from "../../platform/errors/errors.ts";
import { findWorkflowRun } from "./queries.ts";

export async function getWorkflowRun(ctx: ProjectCtx, id: string): Promise<WorkflowRunRow> {
  const found = await findWorkflowRun(ctx, id);
  const [run] = await leaveOutOfRuns(ctx, found ? [found] : []);
  if (!run) throw notFound("workflow run");
  return run;
}
