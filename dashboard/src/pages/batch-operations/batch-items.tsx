import type { BatchItem, BatchOperation } from "@millrace/contract/runs/batch-operations";
import { RefreshCw } from "lucide-react";
import { useMemo } from "react";
import { useApiList } from "../../api/use-api.ts";
import { IconButton } from "../../parts/form/icon-button.tsx";
import { shortId } from "../../parts/id.tsx";
import { Link } from "../../parts/link.tsx";
import { EmptyState } from "../../parts/state/empty-state.tsx";
import { StatusMark } from "../../parts/state/status-mark.tsx";
import { ListTable } from "../../parts/table/list-table.tsx";
import type { Column } from "../../parts/table/table-columns.tsx";
import { Segments } from "../../parts/tabs.tsx";
import { usePlace, useSearchParams } from "../../shell/place/place.ts";

const SHOWN = [
  { id: "failed", label: "Failed" },
  { id: "skipped", label: "Skipped" },
  { id: "succeeded", label: "Succeeded" },
  { id: "all", label: "All" },
];

/** Results per item. By default those that failed; if none did, those that were skipped; otherwise all. */
export function BatchItems({ batch }: { batch: BatchOperation }) {
  const [{ items }, change] = useSearchParams();
  const { at } = usePlace();
  const shown = items ?? firstShown(batch);
  const list = useApiList<BatchItem>(`/v1/batch-operations/${batch.id}/items`, {
    order: "asc",
    ...(shown !== "all" && { status: shown }),
  });
  const columns = useMemo(() => columnsOf(at), [at]);
  return (
    <section aria-label="Items" className="flex flex-col gap-2">
      <div className="flex items-center gap-2">
        <Segments
          label="Items"
          value={shown}
          options={SHOWN}
          onChange={(id) => change({ items: id }, { replace: true })}
        />
        <IconButton label="Refresh items" icon={<RefreshCw size={14} />} onClick={() => void list.refetch()} />
      </div>
      <div className="card flex h-[min(560px,60vh)] flex-col overflow-hidden">
        <ListTable
          label="Items"
          list={list}
          rowKey={keyOf}
          columns={columns}
          empty={
            <EmptyState small title={shown === "all" ? "No items yet" : `No ${shown} items`}>
              Items appear as they are processed.
            </EmptyState>
          }
        />
      </div>
    </section>
  );
}

function firstShown({ failed, skipped }: BatchOperation): string {
  if (failed > 0) return "failed";
  return skipped > 0 ? "skipped" : "all";
}

function keyOf({ index }: BatchItem): string {
  return String(index);
}

function columnsOf(at: (path: string) => string): Column<BatchItem>[] {
  return [
    {
      id: "index",
      header: "#",
      width: "64px",
      align: "end",
      narrow: "end",
      cell: ({ index }) => <span className="font-mono text-ink-3 text-xs">{index}</span>,
    },
    {
      id: "status",
      header: "Status",
      width: "124px",
      narrow: "meta",
      cell: ({ status }) => <StatusMark status={status} />,
    },
    {
      id: "target",
      header: "Target",
      width: "140px",
      narrow: "title",
      cell: ({ target_id }) => (target_id ? <RunRef id={target_id} at={at} /> : "–"),
    },
    {
      id: "came",
      header: "Result",
      width: "140px",
      cell: ({ detail }) => {
        const created = (detail as { run_id?: string } | null)?.run_id;
        return created ? <RunRef id={created} at={at} /> : <span className="text-ink-3">–</span>;
      },
    },
    {
      id: "error",
      header: "Reason",
      width: "minmax(200px, 1fr)",
      narrow: "meta",
      cell: ({ error }) =>
        error ? (
          <span title={error.message}>
            <code className="mr-2 font-mono text-xs">{error.code}</code>
            <span className="text-ink-2">{error.message}</span>
          </span>
        ) : (
          <span className="text-ink-3">–</span>
        ),
    },
  ];
}

function RunRef({ id, at }: { id: string; at: (path: string) => string }) {
  return (
    <Link href={at(`runs/${id}`)} title={id} className="font-mono text-accent text-xs hover:underline">
      {shortId(id)}
    </Link>
  );
}
