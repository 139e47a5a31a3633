import type { BatchOperation } from "@millrace/contract/runs/batch-operations";
import type {
  BulkCancelAllPreview,
  BulkCancelRunsResult,
  BulkReplayRunsResult,
} from "@millrace/contract/runs/bulk-runs";
import type { Run } from "@millrace/contract/runs/runs";
import { call } from "../../api/call.ts";
import type { Page } from "../../api/use-api.ts";
import type { BulkResult } from "../shared-runs/use-bulk-result.ts";
import type { RunFilter } from "./use-runs.ts";

const MAX_AT_ONCE = 100;
/** Replays are sent by id, a hundred at a time; this is the maximum the page sends. */
export const MAX_REPLAYED = 1_000;

/** Number of open runs that match; null: too many to count in time. */
export async function countLive(project: string, filter: RunFilter): Promise<number | null> {
  const body = { filter: orLive(filter), dry_run: true };
  return (await call<BulkCancelAllPreview>("POST", "/v1/runs/bulk-cancel-all", { project, body })).count;
}

export async function cancelMatching(project: string, filter: RunFilter): Promise<BatchOperation> {
  return call<BatchOperation>("POST", "/v1/runs/bulk-cancel-all", { project, body: { filter: orLive(filter) } });
}

export async function cancelRuns(project: string, run_ids: string[]): Promise<BulkResult> {
  return inChunks(run_ids, (some) =>
    call<BulkCancelRunsResult>("POST", "/v1/runs/bulk-cancel", { project, body: { run_ids: some } }),
  );
}

export async function replayRuns(project: string, run_ids: string[]): Promise<BulkResult> {
  return inChunks(run_ids, (some) =>
    call<BulkReplayRunsResult>("POST", "/v1/runs/bulk-replay", { project, body: { run_ids: some } }),
  );
}

/** Ids of matching finished runs, newest first. */
export async function endedMatching(project: string, filter: RunFilter): Promise<{ ids: string[]; isAll: boolean }> {
  const query = { ...filter, q: [filter.q, "is:ended"].filter(Boolean).join(" "), limit: 100 };
  const ids: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const page: Page<Run> = await call("GET", "/v1/runs", { project, query: { ...query, cursor } });
    ids.push(...page.data.map(({ id }) => id));
    if (!page.next_cursor) return { ids, isAll: true };
    if (ids.length >= MAX_REPLAYED) return { ids: ids.slice(0, MAX_REPLAYED), isAll: false };
    cursor = page.next_cursor;
  }
}

async function inChunks(
  ids: string[],
  send: (some: string[]) => Promise<{ batch_id: string | null; results: { status: string }[] }>,
): Promise<BulkResult> {
  const sum: BulkResult = { batch_ids: [], done: 0, failed: 0 };
  for (let at = 0; at < ids.length; at += MAX_AT_ONCE) {
    const { batch_id, results } = await send(ids.slice(at, at + MAX_AT_ONCE));
    const failed = results.filter(({ status }) => status === "failed").length;
    if (batch_id) sum.batch_ids.push(batch_id);
    sum.done += results.length - failed;
    sum.failed += failed;
  }
  return sum;
}

/** The API rejects an empty filter, so it defaults to all open runs. */
function orLive(filter: RunFilter): RunFilter {
  return Object.keys(filter).length > 0 ? filter : { q: "is:live" };
}
