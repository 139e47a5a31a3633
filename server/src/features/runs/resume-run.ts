import type { RunRow } from "../../flow/runs/run-columns.ts";
import { resumeRun as resumeInFlow } from "../../flow/runs/stop/pause-run.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { auditRun } from "./audit-run.ts";
import { getRun } from "./get-run.ts";

export async function resumeRun(ctx: ProjectCtx, id: string): Promise<RunRow> {
  const { id: run_id } = await getRun(ctx, id);
  await resumeInFlow(ctx, { project_id: ctx.project_id, run_id }, (tx, { status }) =>
    auditRun(tx, { action: "resumed", run_id, before: { status } }),
  );
  return getRun(ctx, run_id);
}
