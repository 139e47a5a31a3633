import type { BatchOperation } from "@millrace/contract/batch-operations";
import { useRouter } from "@tanstack/react-router";
import { Layers } from "lucide-react";
import { useMemo } from "react";
import { withQuery } from "../../api/call.ts";
import { useApiList } from "../../api/use-api.ts";
import { useLiveRows } from "../../live/use-live-rows.ts";
import { AsCode } from "../../parts/as-code.tsx";
import { CodeBlock } from "../../parts/code-block.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { PageHeader } from "../../parts/page-header.tsx";
import { Table } from "../../parts/table.tsx";
import { Segments } from "../../parts/tabs.tsx";
import { usePlace, useSearchParams } from "../../shell/place.ts";
import { codeOf } from "../code-of.ts";
import { batchColumns } from "./batch-columns.tsx";
import { isLive } from "./batch-kinds.ts";
import { patchBatch } from "./patch-batch.ts";

const SHOWN = [
  { id: "", label: "All" },
  { id: "pending,running", label: "At work" },
  { id: "completed", label: "Completed" },
  { id: "failed,canceled", label: "Not finished" },
];

/** Most topics of one object are few: the newest that are at work. */
const FOLLOWED = 20;

/** What was asked for many runs at once, and how far it is. */
export default function BatchOperationsPage() {
  const [{ status }, change] = useSearchParams();
  const { at } = usePlace();
  const { history } = useRouter();
  const query = { ...(status && { status }) };
  const list = useApiList<BatchOperation>("/v1/batch-operations", query);
  const { rows, error } = list;
  const topics = useMemo(
    () =>
      (rows ?? [])
        .filter(isLive)
        .slice(0, FOLLOWED)
        .map(({ id }) => `batch:${id}`),
    [rows],
  );
  useLiveRows<BatchOperation>({
    topics,
    path: "/v1/batch-operations",
    idOf,
    patch: patchBatch,
    isNew: never,
    isPaused: false,
  });
  const href = (batch: BatchOperation) => at(`batch-operations/${batch.id}`);
  return (
    <>
      <PageHeader
        title="Batch operations"
        actions={
          <AsCode
            about="These batches"
            code={codeOf({ method: "GET", path: withQuery("/v1/batch-operations", query) })}
          />
        }
      >
        <div className="flex max-w-full overflow-x-auto pb-3">
          <Segments label="Status" value={status ?? ""} options={SHOWN} onChange={(id) => change({ status: id })} />
        </div>
      </PageHeader>
      {error && rows && <ErrorState error={error} as="banner" onRetry={() => void list.refetch()} />}
      <div className="flex min-h-0 flex-1 flex-col border-t">
        {error && !rows ? (
          <ErrorState error={error} onRetry={() => void list.refetch()} />
        ) : (
          <Table
            label="Batch operations"
            rows={rows}
            rowKey={idOf}
            columns={batchColumns(href)}
            onOpen={(batch) => history.push(href(batch))}
            onReachEnd={list.hasNextPage && !list.isFetchingNextPage ? () => void list.fetchNextPage() : undefined}
            isLoadingMore={list.isFetchingNextPage}
            empty={<NoBatches isFiltered={Boolean(status)} />}
          />
        )}
      </div>
    </>
  );
}

function idOf({ id }: BatchOperation): string {
  return id;
}

function never(): boolean {
  return false;
}

function NoBatches({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <EmptyState title="No batch operation fits">Look at all of them.</EmptyState>;
  const body = { filter: { q: "status:failed since:24h" }, dry_run: true };
  return (
    <EmptyState
      icon={<Layers size={20} />}
      title="No batch operations yet"
      code={
        <CodeBlock
          title="Count what a bulk cancel would do"
          code={codeOf({ method: "POST", path: "/v1/runs/bulk-cancel-all", body }).curl}
        />
      }
    >
      Cancel or replay many runs at once from the list of runs: what became of each is kept here.
    </EmptyState>
  );
}
