import { BatchOperation } from "@millrace/contract/batch-operations";
import {
  BulkCancelAll,
  BulkCancelAllPreview,
  BulkCancelRuns,
  BulkCancelRunsResult,
  BulkReplayDeadLetters,
  BulkReplayRuns,
  BulkReplayRunsResult,
} from "@millrace/contract/bulk-runs";
import { projectRoute, type Route } from "../../../platform/route.ts";
import { bulkCancel } from "./bulk-cancel.ts";
import { bulkCancelAll } from "./bulk-cancel-all.ts";
import { checkBulkReplay } from "./bulk-check-replay.ts";
import { bulkDlqReplay } from "./bulk-dlq-replay.ts";
import { bulkReplay } from "./bulk-replay.ts";

export const bulkRunRoutes: Route[] = [
  projectRoute({
    method: "POST",
    path: "/v1/runs/bulk-cancel",
    summary: "Cancel up to 100 runs and the runs they spawned",
    scope: "runs:write",
    body: BulkCancelRuns,
    response: BulkCancelRunsResult,
    run: (ctx, { body }) => bulkCancel(ctx, body),
  }),
  projectRoute({
    method: "POST",
    path: "/v1/runs/bulk-replay",
    summary: "Replay up to 100 ended runs, each as a new run",
    scope: "runs:write",
    body: BulkReplayRuns,
    response: BulkReplayRunsResult,
    run: (ctx, { body }) => (body.dry_run ? checkBulkReplay(ctx, body) : bulkReplay(ctx, body)),
  }),
  projectRoute({
    method: "POST",
    path: "/v1/runs/bulk-dlq-replay",
    summary: "Replay dead letters in the background, by id or by filter",
    scope: "runs:write",
    body: BulkReplayDeadLetters,
    response: BatchOperation,
    status: 202,
    run: (ctx, { body }) => bulkDlqReplay(ctx, body),
  }),
  projectRoute({
    method: "POST",
    path: "/v1/runs/bulk-cancel-all",
    summary: "Cancel every run that matches a filter, in the background",
    scope: "runs:write",
    body: BulkCancelAll,
    response: BatchOperation,
    status: 202,
    otherResponses: { 200: BulkCancelAllPreview },
    run: (ctx, { body }, reply) => bulkCancelAll(ctx, body, reply),
  }),
];
