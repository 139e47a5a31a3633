import type { BatchOperation } from "@millrace/contract/runs/batch-operations";
import { useQueryClient } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { Ban } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useDisabledReason } from "../../api/me.ts";
import { apiKey, useApi, useChange } from "../../api/use-api.ts";
import { useLive } from "../../live/use-live.ts";
import { Actor } from "../../parts/actor.tsx";
import { Progress } from "../../parts/chart/progress.tsx";
import { Stat } from "../../parts/chart/stat.tsx";
import { AsCode } from "../../parts/code/as-code.tsx";
import { Button } from "../../parts/form/button.tsx";
import { formatCount, formatDuration } from "../../parts/format.ts";
import { Id } from "../../parts/id.tsx";
import { Link } from "../../parts/link.tsx";
import { ConfirmDialog } from "../../parts/overlay/confirm-dialog.tsx";
import { PageBody, PageHeader } from "../../parts/page-header.tsx";
import { ErrorState } from "../../parts/state/error-state.tsx";
import { NoObject } from "../../parts/state/no-object.tsx";
import { SkeletonLines } from "../../parts/state/skeleton.tsx";
import { StatusMark } from "../../parts/state/status-mark.tsx";
import { Time } from "../../parts/time.tsx";
import { useNow } from "../../parts/use-now.ts";
import { usePlace } from "../../shell/place/place.ts";
import { codeOf } from "../code-of.ts";
import { BatchItems } from "./batch-items.tsx";
import { isLive, kindName, partsOf, totalOf } from "./batch-kinds.ts";
import { patchBatch } from "./patch-batch.ts";
import { RetryFailed } from "./retry-failed.tsx";

/** Progress of a batch operation and the result of each item. */
export default function BatchPage() {
  const { batchId = "" } = useParams({ strict: false }) as { batchId?: string };
  const { batch, error, refetch } = useBatch(batchId);
  if (error && !batch) {
    return <NoObject error={error} onRetry={() => void refetch()} noun="batch operation" list="batch-operations" />;
  }
  if (!batch) {
    return (
      <PageBody>
        <SkeletonLines lines={6} />
      </PageBody>
    );
  }
  return (
    <>
      {error && <ErrorState error={error} as="banner" onRetry={() => void refetch()} />}
      <BatchHeader batch={batch} />
      <PageBody className="flex flex-col gap-4">
        <BatchProgress batch={batch} />
        {batch.error && <ErrorState error={new Error(batch.error)} as="banner" />}
        <BatchItems batch={batch} />
      </PageBody>
    </>
  );
}

/** Items are refetched when the batch finishes; before that, on request. */
function useBatch(id: string) {
  const { project } = usePlace();
  const client = useQueryClient();
  const path = `/v1/batch-operations/${id}`;
  const read = useApi<BatchOperation>(path);
  const batch = read.data;
  const wasLive = useRef(false);
  const live = batch !== undefined && isLive(batch);
  useLive(
    id === "" ? [] : [`batch:${id}`],
    (change) =>
      client.setQueryData<BatchOperation>(apiKey(project, path), (before) => before && patchBatch(before, change)),
    () => void read.refetch(),
  );
  useEffect(() => {
    if (wasLive.current && !live)
      void client.invalidateQueries({ predicate: ({ queryKey }) => String(queryKey[1]).startsWith(path) });
    wasLive.current = live;
  }, [live, client, path]);
  return { ...read, batch };
}

function BatchHeader({ batch }: { batch: BatchOperation }) {
  const [isConfirming, setConfirming] = useState(false);
  const { at } = usePlace();
  const noScope = useDisabledReason("runs:write");
  const path = `/v1/batch-operations/${batch.id}`;
  const cancel = useChange({
    run: (_, send) => send("POST", `${path}/cancel`, {}),
    done: "Batch operation canceled",
    invalidates: ["/v1/batch-operations"],
  });
  const q = (batch.request as { filter?: { q?: string } } | null)?.filter?.q;
  return (
    <PageHeader
      lead={<StatusMark status={batch.status} as="badge" />}
      title={kindName(batch.kind)}
      count={<Id value={batch.id} head={8} tail={12} />}
      actions={
        <>
          <AsCode about="Batch operation" code={codeOf({ method: "GET", path })} />
          <RetryFailed batch={batch} />
          <Button
            icon={<Ban size={14} />}
            disabledReason={noScope ?? (isLive(batch) ? undefined : "The batch operation has already finished.")}
            onClick={() => setConfirming(true)}
          >
            Cancel
          </Button>
        </>
      }
    >
      <p className="text-ink-2">
        Created by <Actor name={batch.created_by} id={batch.created_by_id} />, <Time at={batch.created_at} />
        {q !== undefined && (
          <>
            {" · "}
            <Link href={at("runs", { q })} className="text-accent hover:underline">
              <code className="font-mono text-xs">{q}</code>
            </Link>
          </>
        )}
      </p>
      <ConfirmDialog
        open={isConfirming}
        danger
        onClose={() => setConfirming(false)}
        title="Cancel this batch operation?"
        action="Cancel batch operation"
        onConfirm={() => cancel.mutateAsync()}
      >
        <p>Remaining items are not processed. Items that are already processed stay as they are.</p>
      </ConfirmDialog>
    </PageHeader>
  );
}

function BatchProgress({ batch }: { batch: BatchOperation }) {
  const now = useNow();
  const total = totalOf(batch);
  const ms = (batch.finished_at ? Date.parse(batch.finished_at) : now) - Date.parse(batch.created_at);
  const rate = ms > 0 ? batch.processed / (ms / 1_000) : 0;
  const left = isLive(batch) && rate > 0 ? ((total - batch.processed) / rate) * 1_000 : undefined;
  return (
    <div className="flex flex-col gap-3">
      <div className="flex items-center gap-3">
        <Progress label="Batch progress" value={batch.processed} total={total} parts={partsOf(batch)} className="h-2" />
        <span className="flex-none font-mono text-xs" data-testid="share">
          {formatCount(batch.processed)}/{formatCount(total)} · {batch.percent}%
        </span>
      </div>
      <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">
        <Stat label="Succeeded" value={formatCount(batch.succeeded)} />
        <Stat label="Failed" value={formatCount(batch.failed)} />
        <Stat label="Skipped" value={formatCount(batch.skipped)} hint="no action needed" />
        <Stat
          label={left === undefined ? "Duration" : "Remaining"}
          value={formatDuration(left ?? Math.max(0, ms))}
          hint={rate >= 1 ? `${formatCount(rate)} per second` : undefined}
        />
      </div>
    </div>
  );
}
