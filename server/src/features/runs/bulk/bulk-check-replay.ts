import type { BulkReplayRuns, BulkReplayRunsResult } from "@millrace/contract/bulk-runs";
import { previewReplays } from "../../../flow/runs/replay/preview-replays.ts";
import { triggerDenials } from "../../../platform/access/policies/refuse-denied-trigger.ts";
import { actorOf } from "../../../platform/actor.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { type ApiError, notFound } from "../../../platform/errors/errors.ts";
import { runsDeniedById } from "../search/runs-denied-by-id.ts";
import { findNamed } from "./bulk-queries.ts";
import { untriggerableRuns } from "./untriggerable-runs.ts";

type ItemResult = BulkReplayRunsResult["results"][number];

/** Previews the outcome of `bulkReplay` for each run. Read-only: no batch, no audit event. */
export async function checkBulkReplay(ctx: ProjectCtx, { run_ids }: BulkReplayRuns): Promise<BulkReplayRunsResult> {
  const named = await findNamed(ctx, run_ids);
  for (const run_id of (await runsDeniedById(ctx)).keys()) named.delete(run_id);
  const refused = await untriggerableRuns(ctx, await triggerDenials(ctx, "job"), [...named.keys()]);
  const { project_id, caller } = ctx;
  const previewed = await previewReplays(ctx, { project_id, run_ids: [...named.keys()], by: actorOf(caller) });
  const results = run_ids.map((run_id, index) => resultOf(refused.get(run_id) ?? previewed.get(run_id), run_id, index));
  return { dry_run: true, batch_id: null, results };
}

function resultOf(apiError: ApiError | null | undefined, replay_of: string, index: number): ItemResult {
  const item = { index, run_id: null, replay_of };
  if (apiError === null) return { ...item, status: "would_create", error: null };
  const { code, message } = apiError ?? notFound("run");
  return { ...item, status: "failed", error: { code, message } };
}
