import type { ErrorIssue, ErrorIssueRunList } from "@millrace/contract/alerts/error-issues";
import type { BulkReplayRunsResult } from "@millrace/contract/runs/bulk-runs";
import { call } from "../../api/call.ts";
import { useDisabledReason } from "../../api/me.ts";
import { useApi, useChange } from "../../api/use-api.ts";
import { plural } from "../../parts/format.ts";
import { ConfirmDialog } from "../../parts/overlay/confirm-dialog.tsx";
import { ErrorState } from "../../parts/state/error-state.tsx";
import { SkeletonLines } from "../../parts/state/skeleton.tsx";
import { usePlace } from "../../shell/place/place.ts";
import { type BulkResult, useBulkResult } from "../shared-runs/use-bulk-result.ts";

/** As many as one bulk replay takes. */
const PAGE = { limit: 100 };

/** Replays all runs of an issue in the dead-letter queue, in batches of a hundred. */
export function ReplayIssue({ issue, onClose }: { issue: ErrorIssue; onClose: () => void }) {
  const path = `/v1/error-issues/${issue.id}/runs`;
  const { project } = usePlace();
  const { data, error, refetch } = useApi<ErrorIssueRunList>(path, PAGE);
  const noScope = useDisabledReason("runs:write");
  const { notify } = useBulkResult(onClose);
  const replay = useChange<void, BulkResult>({
    run: () => replayAll(project, path),
    invalidates: ["/v1/error-issues", "/v1/runs", "/v1/batch-operations"],
    onDone: (result) => notify("Replayed", result),
  });
  const count = data?.data.length ?? 0;
  const none = data && count === 0 && !data.has_more ? "No run of this issue is in the dead-letter queue." : undefined;
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title="Replay the runs of this issue?"
      action={data?.has_more ? "Replay all runs" : `Replay ${count === 0 ? "runs" : plural(count, "run")}`}
      disabledReason={noScope ?? none ?? (data ? undefined : "Still counting the runs.")}
      onConfirm={() => replay.mutateAsync()}
    >
      {error && <ErrorState as="banner" error={error} onRetry={() => void refetch()} />}
      {!data && !error && <SkeletonLines lines={1} />}
      {data && (
        <p>
          {none ??
            `${found(count, data.has_more)} in the dead-letter queue with this error. Each is replayed with its payload, as a new run.`}
        </p>
      )}
    </ConfirmDialog>
  );
}

/** If the job has many dead letters, the issue's runs may not be on the first page. */
function found(count: number, hasMore: boolean): string {
  if (hasMore) return count === 0 ? "There may be runs" : `At least ${plural(count, "run")} are`;
  return `${plural(count, "run")} ${count === 1 ? "is" : "are"}`;
}

/** Each run once: one that cannot be replayed stays in the dead-letter queue. */
async function replayAll(project: string, path: string): Promise<BulkResult> {
  const sum: BulkResult = { batch_ids: [], done: 0, failed: 0 };
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await call<ErrorIssueRunList>("GET", path, { project, query: { ...PAGE, cursor } });
    cursor = page.next_cursor;
    if (page.data.length > 0) {
      const body = { run_ids: page.data.map((run) => run.id) };
      const { batch_id, results } = await call<BulkReplayRunsResult>("POST", "/v1/runs/bulk-replay", { project, body });
      const failed = results.filter(({ status }) => status === "failed").length;
      if (batch_id) sum.batch_ids.push(batch_id);
      sum.done += results.length - failed;
      sum.failed += failed;
    }
  }
  return sum;
}
