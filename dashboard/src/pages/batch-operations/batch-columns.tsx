import type { BatchOperation } from "@millrace/contract/runs/batch-operations";
import { Actor } from "../../parts/actor.tsx";
import { Progress } from "../../parts/chart/progress.tsx";
import { formatCount } from "../../parts/format.ts";
import { Id } from "../../parts/id.tsx";
import { Link } from "../../parts/link.tsx";
import { StatusMark } from "../../parts/state/status-mark.tsx";
import type { Column } from "../../parts/table/table-columns.tsx";
import { Time } from "../../parts/time.tsx";
import { kindName, partsOf, totalOf } from "./batch-kinds.ts";

export function batchColumns(href: (batch: BatchOperation) => string): Column<BatchOperation>[] {
  return [
    {
      id: "status",
      header: "Status",
      width: "112px",
      narrow: "meta",
      cell: ({ status }) => <StatusMark status={status} />,
    },
    {
      id: "kind",
      header: "Operation",
      width: "minmax(136px, 1fr)",
      narrow: "title",
      cell: (batch) => (
        <Link href={href(batch)} tabIndex={-1} className="block truncate font-medium hover:text-accent hover:underline">
          {kindName(batch.kind)}
        </Link>
      ),
    },
    {
      id: "id",
      header: "Batch",
      width: "128px",
      hidePriority: 1,
      cell: ({ id }) => <Id value={id} className="text-ink-2" />,
    },
    {
      id: "progress",
      header: "Progress",
      width: "minmax(96px, 1fr)",
      cell: (batch) => (
        <Progress label="Progress" value={batch.processed} total={totalOf(batch)} parts={partsOf(batch)} />
      ),
    },
    {
      id: "done",
      header: "Processed",
      width: "84px",
      align: "end",
      narrow: "meta",
      cell: (batch) => <Share batch={batch} />,
    },
    {
      id: "failed",
      header: "Failed",
      width: "60px",
      align: "end",
      cell: ({ failed }) => (
        <span className={failed > 0 ? "text-failed-ink" : "text-ink-3"}>{formatCount(failed)}</span>
      ),
    },
    {
      id: "by",
      header: "Created by",
      width: "minmax(72px, 0.6fr)",
      cell: ({ created_by, created_by_id }) => <Actor name={created_by} id={created_by_id} />,
    },
    {
      id: "created",
      header: "Created",
      width: "84px",
      align: "end",
      narrow: "end",
      cell: ({ created_at }) => <Time at={created_at} className="text-ink-2" />,
    },
  ];
}

function Share({ batch }: { batch: BatchOperation }) {
  return (
    <span className="font-mono text-xs">
      {formatCount(batch.processed)}
      <span className="text-ink-3">/{formatCount(totalOf(batch))}</span>
    </span>
  );
}
