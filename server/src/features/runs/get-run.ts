import type { RunRow } from "../../flow/runs/run-columns.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { notFound } from "../../platform/errors/errors.ts";
import { findRun } from "./queries.ts";

export async function getRun(ctx: ProjectCtx, id: string): Promise<RunRow> {
  const run = await findRun(ctx, id);
  if (!run) throw notFound("run");
  return run;
}
