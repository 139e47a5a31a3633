import type { WorkflowVersion } from "@millrace/contract/workflows";
import type { ProjectCtx } from "../../../platform/context.ts";
import { notFound } from "../../../platform/errors/errors.ts";
import { getWorkflow } from "../get-workflow.ts";
import { findVersion } from "./version-queries.ts";

export async function getWorkflowVersion(ctx: ProjectCtx, ref: string, version_id: string): Promise<WorkflowVersion> {
  const { id } = await getWorkflow(ctx, ref);
  const row = await findVersion(ctx, id, version_id);
  if (!row) throw notFound("version of the workflow");
  return row;
}
