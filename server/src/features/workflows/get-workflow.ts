import type { Workflow } from "@millrace/contract/workflows";
import type { ProjectCtx } from "../../platform/context.ts";
import { notFound } from "../../platform/errors/errors.ts";
import { findWorkflow } from "./queries.ts";

export async function getWorkflow(ctx: ProjectCtx, ref: string): Promise<Workflow> {
  const row = await findWorkflow(ctx, ref);
  if (!row) throw notFound("workflow");
  return row;
}
