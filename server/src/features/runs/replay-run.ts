import type { ReplayRun } from "@millrace/contract/runs/runs";
import { readTags } from "../../flow/runs/create/merge-tags.ts";
import { replayRun as replayInFlow } from "../../flow/runs/replay/replay-runs.ts";
import type { RunRow } from "../../flow/runs/run-columns.ts";
import { triggerDenials } from "../../platform/access/policies/refuse-denied.ts";
import { refuseOverriding } from "../../platform/access/policies/refuse-retagging.ts";
import { actorOf } from "../../platform/actor.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { ApiError, notFound } from "../../platform/errors/errors.ts";
import { auditRun } from "./audit-run.ts";
import { runsDeniedById, untriggerableRuns } from "./bulk/untriggerable-runs.ts";
import { getRun } from "./queries.ts";

/** Returns the new run. */
export async function replayRun(ctx: ProjectCtx, id: string, edits: ReplayRun): Promise<RunRow> {
  const original = await getRun(ctx, id);
  const { id: run_id, project_id } = original;
  await refuseCopy(ctx, run_id);
  const untriggerable = await untriggerableRuns(ctx, await triggerDenials(ctx, "job"), [run_id]);
  for (const apiError of untriggerable.values()) throw apiError;
  if (edits.tags) await refuseOverriding(ctx, "runs:read", original, { tags: readTags(edits.tags) });
  const replay_id = await replayInFlow(
    ctx,
    { project_id, run_id },
    {
      by: actorOf(ctx.caller),
      edits,
      alongside: (tx, replay) => auditRun(tx, { action: "replayed", run_id, after: { replayed_as: replay.run_id } }),
    },
  );
  if (replay_id === undefined) throw notFound("run");
  return getRun(ctx, replay_id);
}

async function refuseCopy(ctx: ProjectCtx, run_id: string): Promise<void> {
  const policy = (await runsDeniedById(ctx)).get(run_id);
  if (policy === undefined) return;
  throw new ApiError(
    "policy_denied",
    `The policy ${policy} denies runs:read on this run, and a replay would be a copy of it.`,
  );
}
