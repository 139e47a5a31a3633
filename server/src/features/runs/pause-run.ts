import type { RunRow } from "../../flow/runs/run-columns.ts";
import { pauseRun as pauseInFlow } from "../../flow/runs/stop/pause-run.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { auditRun } from "./audit-run.ts";
import { getRun } from "./get-run.ts";

export async function pauseRun(ctx: ProjectCtx, id: string): Promise<RunRow> {
  const { id: run_id } = await getRun(ctx, id);
  await pauseInFlow(ctx, { project_id: ctx.project_id, run_id }, (tx, { status }) =>
    auditRun(tx, { action: "paused", run_id, before: { status } }),
  );
  return getRun(ctx, run_id);
}
