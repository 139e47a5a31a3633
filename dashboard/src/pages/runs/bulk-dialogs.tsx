import { useQuery, useQueryClient } from "@tanstack/react-query";
import { plural } from "../../parts/format.ts";
import { ConfirmDialog } from "../../parts/overlay/confirm-dialog.tsx";
import { ErrorState } from "../../parts/state/error-state.tsx";
import { usePlace } from "../../shell/place/place.ts";
import type { BulkResult } from "../shared-runs/use-bulk-result.ts";
import { cancelMatching, cancelRuns, countLive, endedMatching, MAX_REPLAYED, replayRuns } from "./bulk-runs.ts";
import type { RunFilter } from "./use-runs.ts";

type Props = {
  /** Undefined: all matching runs. */
  ids: string[] | undefined;
  filter: RunFilter;
  onClose: () => void;
  onDone: (result: BulkResult) => void;
};

/** Shows the count before confirming. Canceling all matching runs is a batch operation with its own page. */
export function BulkCancel({
  ids,
  filter,
  onClose,
  onDone,
  onOrdered,
}: Props & { onOrdered: (batchId: string) => void }) {
  const { project } = usePlace();
  const preview = useQuery({
    queryKey: [project, "preview-cancel", filter],
    queryFn: () => countLive(project, filter),
    enabled: ids === undefined,
    gcTime: 0,
    staleTime: 0,
  });
  const count = ids?.length ?? preview.data;
  const named = count === null || count === undefined ? "all matching runs" : plural(count, "run");
  const confirm = async () => {
    if (ids === undefined) onOrdered((await cancelMatching(project, filter)).id);
    else onDone(await cancelRuns(project, ids));
  };
  return (
    <ConfirmDialog
      open
      danger
      onClose={onClose}
      title={`Cancel ${named}?`}
      action={`Cancel ${named}`}
      onConfirm={confirm}
      disabledReason={disabledReasonOf(ids, count, preview.isPending)}
    >
      {preview.error && <ErrorState error={preview.error} as="banner" onRetry={() => void preview.refetch()} />}
      <p>Cancels runs that have not finished, and their child runs. Finished runs do not change.</p>
      {ids === undefined && <Matching filter={filter} />}
      {count === null && <p>There are too many matching runs to count. All of them will be canceled.</p>}
    </ConfirmDialog>
  );
}

export function BulkReplay({ ids, filter, onClose, onDone }: Props) {
  const { project } = usePlace();
  const client = useQueryClient();
  const preview = useQuery({
    queryKey: [project, "preview-replay", filter],
    queryFn: () => endedMatching(project, filter),
    enabled: ids === undefined,
    gcTime: 0,
    staleTime: 0,
  });
  const targets = ids ?? preview.data?.ids;
  const named = targets === undefined ? "matching runs" : plural(targets.length, "run");
  const confirm = async () => {
    onDone(await replayRuns(project, targets ?? []));
    await client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[1] === "/v1/runs" });
  };
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`Replay ${named}?`}
      action={`Replay ${named}`}
      onConfirm={confirm}
      disabledReason={disabledReasonOf(ids, targets?.length, preview.isPending)}
    >
      {preview.error && <ErrorState error={preview.error} as="banner" onRetry={() => void preview.refetch()} />}
      <p>Each finished run is started again as a new run with the same payload. The original runs do not change.</p>
      {ids === undefined && <Matching filter={filter} />}
      {preview.data?.isAll === false && <p>More runs match. Only the newest {MAX_REPLAYED} will be replayed.</p>}
    </ConfirmDialog>
  );
}

function Matching({ filter }: { filter: RunFilter }) {
  const words = [filter.q, filter.environment_id && `env:${filter.environment_id}`].filter(Boolean).join(" ");
  return <code className="rounded-xs bg-surface px-2 py-1 font-mono text-ink text-xs">{words || "all runs"}</code>;
}

function disabledReasonOf(
  ids: string[] | undefined,
  count: number | null | undefined,
  isPending: boolean,
): string | undefined {
  if (ids === undefined && isPending) return "Still counting matching runs.";
  return count === 0 ? "No runs match." : undefined;
}
