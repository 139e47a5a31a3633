import { DEFAULT_QUEUE, type QueueLoad } from "@millrace/contract/workers/queues";
import { Pause, Pencil, Play, Trash2 } from "lucide-react";
import type { ReactNode } from "react";
import { Progress } from "../../parts/chart/progress.tsx";
import { IconButton } from "../../parts/form/icon-button.tsx";
import { formatCount, formatDuration } from "../../parts/format.ts";
import { StatusMark } from "../../parts/state/status-mark.tsx";
import type { Column } from "../../parts/table/table-columns.tsx";

type Given = {
  disabledReason: string | undefined;
  onPause: (queue: QueueLoad) => void;
  onEdit: (queue: QueueLoad) => void;
  onDelete: (queue: QueueLoad) => void;
};

/** The service counts no further. */
const MAX_DEPTH = 10_000;
const NONE = <span className="text-ink-3">–</span>;

export function queueColumns(given: Given): Column<QueueLoad>[] {
  return [
    {
      id: "state",
      header: "State",
      width: "96px",
      isFixed: true,
      narrow: "meta",
      cell: ({ paused }) => <StatusMark status={paused ? "paused" : "active"} />,
    },
    {
      id: "name",
      header: "Queue",
      width: "minmax(160px, 1.6fr)",
      isFixed: true,
      narrow: "title",
      cell: ({ name, description }) => (
        <span className="block truncate" title={description ?? undefined}>
          <code className="font-mono text-xs">{name}</code>{" "}
          {description && <span className="ml-1 text-ink-3">{description}</span>}
        </span>
      ),
    },
    ...LOAD_COLUMNS,
    ...LIMIT_COLUMNS,
    {
      id: "actions",
      header: "",
      width: "108px",
      align: "end",
      narrow: "end",
      cell: (queue) => <Actions queue={queue} {...given} />,
    },
  ];
}

const LOAD_COLUMNS: Column<QueueLoad>[] = [
  {
    id: "depth",
    header: "Depth",
    width: "84px",
    align: "end",
    narrow: "meta",
    cell: ({ depth }) => <Figure>{`${formatCount(depth)}${depth >= MAX_DEPTH ? "+" : ""}`}</Figure>,
  },
  {
    id: "oldest",
    header: "Oldest",
    width: "92px",
    align: "end",
    cell: ({ oldest_age_secs }) => (
      <Figure>{oldest_age_secs === null ? NONE : formatDuration(oldest_age_secs * 1_000)}</Figure>
    ),
  },
  { id: "flight", header: "In flight", width: "120px", cell: (queue) => <Figure>{flightOf(queue)}</Figure> },
  {
    id: "jobs",
    header: "Jobs",
    width: "64px",
    align: "end",
    hidePriority: 2,
    cell: ({ jobs }) => <Figure>{formatCount(jobs)}</Figure>,
  },
  {
    id: "workers",
    header: "Workers",
    width: "76px",
    align: "end",
    hidePriority: 3,
    cell: ({ workers }) => <Figure>{formatCount(workers)}</Figure>,
  },
];

const LIMIT_COLUMNS: Column<QueueLoad>[] = [
  {
    id: "concurrency",
    header: "Max. concurrency",
    width: "132px",
    align: "end",
    cell: ({ max_concurrency }) => (max_concurrency === null ? NONE : formatCount(max_concurrency)),
  },
  {
    id: "rate",
    header: "Rate limit",
    width: "124px",
    align: "end",
    cell: ({ rate_limit_max, rate_limit_window_secs }) =>
      rate_limit_max === null || rate_limit_window_secs === null
        ? NONE
        : `${formatCount(rate_limit_max)} in ${formatDuration(rate_limit_window_secs * 1_000)}`,
  },
  { id: "weight", header: "Weight", width: "72px", align: "end", hidePriority: 1, cell: ({ weight }) => weight },
];

function Figure({ children }: { children: ReactNode }) {
  return <span className="font-mono text-xs">{children}</span>;
}

function flightOf({ name, in_flight, max_concurrency: max }: QueueLoad): ReactNode {
  if (max === null) return formatCount(in_flight);
  return (
    <span className="flex items-center gap-2">
      <span className="w-9 flex-none">
        <Progress label={`${name}: runs in flight`} value={Math.min(in_flight, max)} total={max} />
      </span>
      {formatCount(in_flight)}
    </span>
  );
}

function Actions({ queue, disabledReason, onPause, onEdit, onDelete }: Given & { queue: QueueLoad }) {
  return (
    <span className="inline-flex gap-1">
      <IconButton
        size="small"
        label={`${queue.paused ? "Resume" : "Pause"} ${queue.name}`}
        disabledReason={disabledReason}
        icon={queue.paused ? <Play size={13} /> : <Pause size={13} />}
        onClick={() => onPause(queue)}
      />
      <IconButton
        size="small"
        label={`Edit ${queue.name}`}
        disabledReason={disabledReason}
        icon={<Pencil size={13} />}
        onClick={() => onEdit(queue)}
      />
      <IconButton
        size="small"
        label={`Delete ${queue.name}`}
        disabledReason={disabledReason ?? (queue.name === DEFAULT_QUEUE ? "Every project has this queue." : undefined)}
        icon={<Trash2 size={13} />}
        onClick={() => onDelete(queue)}
      />
    </span>
  );
}
