import type { ReplayRun } from "@millrace/contract/runs";
import { replayRun as replayInFlow } from "../../flow/replay-run.ts";
import type { RunRow } from "../../flow/run-columns.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { notFound } from "../../platform/errors.ts";
import { auditRun } from "./audit-run.ts";
import { getRun } from "./get-run.ts";

/** Answers the new run. */
export async function replayRun(ctx: ProjectCtx, id: string, edits: ReplayRun): Promise<RunRow> {
  const { id: run_id, project_id } = await getRun(ctx, id);
  const born = await replayInFlow(
    ctx,
    { project_id, run_id },
    {
      by: ctx.caller.name,
      edits,
      alongside: (tx, replay) => auditRun(tx, { action: "replayed", run_id, after: { replayed_as: replay.run_id } }),
    },
  );
  if (born === undefined) throw notFound("run");
  return getRun(ctx, born);
}
