import type { Worker } from "@millrace/contract/workers/workers";
import { formatCount } from "../../parts/format.ts";
import type { Column } from "../../parts/table/table-columns.tsx";
import { Time } from "../../parts/time.tsx";

const NONE = <span className="text-ink-3">–</span>;

export const workerColumns: Column<Worker>[] = [
  {
    id: "name",
    header: "Worker",
    width: "minmax(180px, 1.4fr)",
    isFixed: true,
    narrow: "title",
    cell: ({ name, worker_id }) => (
      <span className="block truncate" title={worker_id}>
        {name && <span className="mr-1 font-medium">{name}</span>}{" "}
        <code className="font-mono text-ink-3 text-xs">{worker_id}</code>
      </span>
    ),
  },
  {
    id: "queues",
    header: "Queues",
    width: "minmax(120px, 1fr)",
    narrow: "meta",
    cell: ({ queues }) => <Names names={queues} all="all queues" />,
  },
  {
    id: "jobs",
    header: "Jobs",
    width: "minmax(140px, 1.4fr)",
    hidePriority: 1,
    cell: ({ jobs }) => <Names names={jobs} all="all jobs of its queues" />,
  },
  {
    id: "version",
    header: "Version",
    width: "112px",
    hidePriority: 2,
    cell: ({ version }) => (version === null ? NONE : <code className="truncate font-mono text-xs">{version}</code>),
  },
  {
    id: "flight",
    header: "In flight",
    width: "104px",
    align: "end",
    narrow: "meta",
    cell: ({ in_flight, concurrency }) => (
      <span className="font-mono text-xs">
        {formatCount(in_flight)}
        {concurrency !== null && <span className="text-ink-3">/{formatCount(concurrency)}</span>}
      </span>
    ),
  },
  {
    id: "started",
    header: "First seen",
    width: "104px",
    align: "end",
    hidePriority: 3,
    cell: ({ created_at }) => <Time at={created_at} className="text-ink-2" />,
  },
  {
    id: "seen",
    header: "Last seen",
    width: "104px",
    align: "end",
    narrow: "end",
    cell: ({ last_seen_at }) => <Time at={last_seen_at} className="text-ink-2" />,
  },
];

function Names({ names, all }: { names: readonly string[] | null; all: string }) {
  if (names === null) return <span className="text-ink-3">{all}</span>;
  const text = names.join(", ");
  return (
    <code className="block truncate font-mono text-xs" title={text}>
      {text}
    </code>
  );
}
