import { BatchOperation } from "@millrace/contract/runs/batch-operations";
import {
  BulkCancelAll,
  BulkCancelAllPreview,
  BulkCancelRuns,
  BulkCancelRunsResult,
  BulkReplayDeadLetters,
  BulkReplayRuns,
  BulkReplayRunsResult,
} from "@millrace/contract/runs/bulk-runs";
import { previewReplays } from "../../../flow/runs/replay/replay-runs.ts";
import { triggerDenials } from "../../../platform/access/policies/refuse-denied.ts";
import { actorOf } from "../../../platform/actor.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { type ApiError, notFound } from "../../../platform/errors/errors.ts";
import { projectRoute, type Route } from "../../../platform/route.ts";
import { bulkCancel, bulkCancelAll } from "./bulk-cancel.ts";
import { bulkDlqReplay, bulkReplay } from "./bulk-replay.ts";
import { findNamed } from "./bulk-walk.ts";
import { runsDeniedById, untriggerableRuns } from "./untriggerable-runs.ts";

export const bulkRunRoutes: Route[] = [
  projectRoute("POST /v1/runs/bulk-cancel", {
    summary: "Cancel up to 100 runs and the runs they spawned",
    scope: "runs:write",
    body: BulkCancelRuns,
    response: BulkCancelRunsResult,
    run: (ctx, { body }) => bulkCancel(ctx, body),
  }),
  projectRoute("POST /v1/runs/bulk-replay", {
    summary: "Replay up to 100 ended runs, each as a new run",
    scope: "runs:write",
    body: BulkReplayRuns,
    response: BulkReplayRunsResult,
    run: (ctx, { body }) => (body.dry_run ? checkBulkReplay(ctx, body) : bulkReplay(ctx, body)),
  }),
  projectRoute("POST /v1/runs/bulk-dlq-replay", {
    summary: "Replay dead letters in the background, by id or by filter",
    scope: "runs:write",
    body: BulkReplayDeadLetters,
    response: BatchOperation,
    status: 202,
    run: (ctx, { body }) => bulkDlqReplay(ctx, body),
  }),
  projectRoute("POST /v1/runs/bulk-cancel-all", {
    summary: "Cancel every run that matches a filter, in the background",
    scope: "runs:write",
    body: BulkCancelAll,
    response: BatchOperation,
    status: 202,
    otherResponses: { 200: BulkCancelAllPreview },
    run: (ctx, { body }, reply) => bulkCancelAll(ctx, body, reply),
  }),
];

type ItemResult = BulkReplayRunsResult["results"][number];

/** Previews the outcome of `bulkReplay` for each run. Read-only: no batch, no audit event. */
async function checkBulkReplay(ctx: ProjectCtx, { run_ids }: BulkReplayRuns): Promise<BulkReplayRunsResult> {
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
