import type { LogDrain } from "@millrace/contract/deliveries/log-drains";
import { Pause, Pencil, Play, Send, Trash2 } from "lucide-react";
import { IconButton } from "../../parts/form/icon-button.tsx";
import { formatCount } from "../../parts/format.ts";
import { StatusMark } from "../../parts/state/status-mark.tsx";
import type { Column } from "../../parts/table/table-columns.tsx";
import { Time } from "../../parts/time.tsx";

type Given = {
  disabledReason: string | undefined;
  onToggle: (drain: LogDrain) => void;
  onAct: (dialog: "edit" | "test" | "delete", drain: LogDrain) => void;
};

const MARKS: Record<LogDrain["state"], { status: string; label: string }> = {
  idle: { status: "ok", label: "Idle" },
  delivering: { status: "ok", label: "Delivering" },
  failing: { status: "unhealthy", label: "Failing" },
  disabled: { status: "paused", label: "Disabled" },
};

export function drainColumns(given: Given): Column<LogDrain>[] {
  return [
    ...COLUMNS,
    {
      id: "actions",
      header: "",
      width: "132px",
      align: "end",
      narrow: "end",
      cell: (drain) => <Actions drain={drain} {...given} />,
    },
  ];
}

const COLUMNS: Column<LogDrain>[] = [
  {
    id: "state",
    header: "State",
    width: "116px",
    isFixed: true,
    narrow: "meta",
    cell: ({ state }) => <StatusMark {...MARKS[state]} />,
  },
  {
    id: "name",
    header: "Name",
    width: "minmax(180px, 1.4fr)",
    isFixed: true,
    narrow: "title",
    cell: ({ name, url }) => (
      <span className="block truncate" title={url}>
        {name} <code className="ml-1 font-mono text-ink-3 text-xs">{url}</code>
      </span>
    ),
  },
  {
    id: "sends",
    header: "Sends",
    width: "128px",
    narrow: "meta",
    cell: ({ signal, format }) => (
      <span className="truncate">
        {signal} <span className="text-ink-3">as {format}</span>
      </span>
    ),
  },
  {
    id: "backlog",
    header: "Oldest unsent",
    width: "120px",
    hidePriority: 1,
    cell: ({ oldest_unsent_at }) => <Time at={oldest_unsent_at} />,
  },
  {
    id: "delivered",
    header: "Delivered",
    width: "90px",
    align: "end",
    cell: ({ delivered_count }) => formatCount(delivered_count),
  },
  {
    id: "lost",
    header: "Dropped, rejected",
    width: "124px",
    align: "end",
    hidePriority: 2,
    cell: ({ dropped_count, refused_count }) => `${formatCount(dropped_count)}, ${formatCount(refused_count)}`,
  },
  {
    id: "error",
    header: "Last error",
    width: "minmax(120px, 1fr)",
    hidePriority: 3,
    cell: ({ last_error }) =>
      last_error === null ? (
        <span className="text-ink-3">–</span>
      ) : (
        <span className="block truncate text-ink-2" title={last_error}>
          {last_error}
        </span>
      ),
  },
];

function Actions({ drain, disabledReason, onToggle, onAct }: Given & { drain: LogDrain }) {
  const { name, enabled } = drain;
  return (
    <span className="inline-flex gap-1">
      <IconButton
        size="small"
        label={`Test ${name}`}
        disabledReason={disabledReason}
        icon={<Send size={13} />}
        onClick={() => onAct("test", drain)}
      />
      <IconButton
        size="small"
        label={`Edit ${name}`}
        disabledReason={disabledReason}
        icon={<Pencil size={13} />}
        onClick={() => onAct("edit", drain)}
      />
      <IconButton
        size="small"
        label={`${enabled ? "Disable" : "Enable"} ${name}`}
        disabledReason={disabledReason}
        icon={enabled ? <Pause size={13} /> : <Play size={13} />}
        onClick={() => onToggle(drain)}
      />
      <IconButton
        size="small"
        label={`Delete ${name}`}
        disabledReason={disabledReason}
        icon={<Trash2 size={13} />}
        onClick={() => onAct("delete", drain)}
      />
    </span>
  );
}
