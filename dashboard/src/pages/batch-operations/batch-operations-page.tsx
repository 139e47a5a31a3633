import type { StreamChange } from "@millrace/contract/deliveries/streams";
import type { BatchOperation } from "@millrace/contract/runs/batch-operations";
import { useRouter } from "@tanstack/react-router";
import { Layers } from "lucide-react";
import { useCallback, useMemo } from "react";
import { withQuery } from "../../api/call.ts";
import { useApiList } from "../../api/use-api.ts";
import { useLiveRows } from "../../live/use-live-rows.ts";
import { AsCode } from "../../parts/code/as-code.tsx";
import { CodeBlock } from "../../parts/code/code-block.tsx";
import { EmptyState } from "../../parts/state/empty-state.tsx";
import { ListPage } from "../../parts/table/list-page.tsx";
import { Segments } from "../../parts/tabs.tsx";
import { usePlace, useSearchParams } from "../../shell/place/place.ts";
import { useIsHere } from "../../shell/place/use-places.ts";
import { codeOf } from "../code-of.ts";
import { batchColumns } from "./batch-columns.tsx";
import { patchBatch } from "./patch-batch.ts";

const SHOWN = [
  { id: "", label: "All" },
  { id: "pending,running", label: "In progress" },
  { id: "completed", label: "Completed" },
  { id: "failed,canceled", label: "Failed or canceled" },
];

/** Bulk actions and their progress. */
export default function BatchOperationsPage() {
  const [{ status }, change] = useSearchParams();
  const { at, environmentFilter } = usePlace();
  const { history } = useRouter();
  const query = { ...(status && { status }), environment_id: environmentFilter };
  const list = useBatches(query);
  const href = useCallback((batch: BatchOperation) => at(`batch-operations/${batch.id}`), [at]);
  const columns = useMemo(() => batchColumns(href), [href]);
  return (
    <ListPage
      title="Batch operations"
      label="Batch operations"
      actions={
        <AsCode
          about="Batch operations"
          code={codeOf({ method: "GET", path: withQuery("/v1/batch-operations", query) })}
        />
      }
      toolbar={
        <Segments label="Status" value={status ?? ""} options={SHOWN} onChange={(id) => change({ status: id })} />
      }
      list={list}
      columns={columns}
      onOpen={(batch) => history.push(href(batch))}
      empty={<NoBatches isFiltered={Boolean(status)} />}
    />
  );
}

/** A paged list with live progress that counts batches created since it was loaded. */
function useBatches(query: { status?: string; environment_id: string | undefined }) {
  const list = useApiList<BatchOperation>("/v1/batch-operations", query);
  const isHere = useIsHere();
  const { status } = query;
  const newest = list.rows?.[0]?.id ?? "";
  const live = useLiveRows<BatchOperation>({
    topics: ["batches"],
    path: "/v1/batch-operations",
    idOf,
    patch: patchBatch,
    isNew: useCallback(
      // Ids increase with time: one below the newest row is on a page that was not loaded.
      (change: StreamChange) =>
        change.id > newest && isHere(change) && (!status || status.split(",").includes(String(change.object.status))),
      [newest, isHere, status],
    ),
    isPaused: false,
  });
  return { ...list, ...live };
}

function idOf({ id }: BatchOperation): string {
  return id;
}

function NoBatches({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered)
    return <EmptyState title="No batch operations match">Clear the status filter to see all of them.</EmptyState>;
  const body = { filter: { q: "status:failed since:24h" }, dry_run: true };
  return (
    <EmptyState
      icon={<Layers size={20} />}
      title="No batch operations yet"
      code={
        <CodeBlock
          title="Preview a bulk cancel"
          code={codeOf({ method: "POST", path: "/v1/runs/bulk-cancel-all", body }).curl}
        />
      }
    >
      Cancel or replay many runs at once from the Runs page. The result of each item is listed here.
    </EmptyState>
  );
}
