import type { CanaryComparison } from "@millrace/contract/canaries";
import type { ProjectCtx } from "../../../platform/context.ts";
import { notFound } from "../../../platform/errors/errors.ts";
import { findWorkflow } from "../queries.ts";
import { compareVersions } from "./canary-metrics.ts";
import { type CanaryRow, findCanary } from "./canary-queries.ts";
import { presentCanary } from "./present-canary.ts";

/** Returns the active canary of a workflow, or the last one, with the results of both versions' runs. */
export async function getCanary(ctx: ProjectCtx, ref: string): Promise<CanaryComparison> {
  const row = await readCanary(ctx, ref);
  return { ...presentCanary(row), metrics: await compareVersions(ctx, row) };
}

async function readCanary(ctx: ProjectCtx, ref: string): Promise<CanaryRow> {
  const workflow = await findWorkflow(ctx, ref);
  if (!workflow) throw notFound("workflow");
  const row = await findCanary(ctx, ctx.project_id, workflow.id);
  if (!row) throw notFound("canary");
  return row;
}
