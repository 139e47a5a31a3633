import type { OutboxSource } from "@millrace/contract/events/outbox-sources";
import { Pause, Play, RotateCcw } from "lucide-react";
import { IconButton } from "../../parts/form/icon-button.tsx";
import { formatCount } from "../../parts/format.ts";
import { Countdown } from "../../parts/state/countdown.tsx";
import { StatusMark } from "../../parts/state/status-mark.tsx";
import type { Column } from "../../parts/table/table-columns.tsx";
import { Time } from "../../parts/time.tsx";

type Given = {
  disabledReason: string | undefined;
  onToggle: (source: OutboxSource) => void;
  onRetry: (source: OutboxSource) => void;
};

const NONE = <span className="text-ink-3">–</span>;

const MARKS: Record<OutboxSource["state"], { status: string; label: string }> = {
  waiting: { status: "pending", label: "Waiting" },
  draining: { status: "ok", label: "Connected" },
  failing: { status: "unhealthy", label: "Failing" },
  disabled: { status: "paused", label: "Disabled" },
};

export function sourceColumns(given: Given): Column<OutboxSource>[] {
  return [
    ...STATE_COLUMNS,
    ...ROW_COLUMNS,
    {
      id: "actions",
      header: "",
      width: "76px",
      align: "end",
      narrow: "end",
      cell: (source) => <Actions source={source} {...given} />,
    },
  ];
}

const STATE_COLUMNS: Column<OutboxSource>[] = [
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
    width: "minmax(180px, 1.2fr)",
    isFixed: true,
    narrow: "title",
    cell: ({ name, host, port, database }) => (
      <span className="block truncate">
        {name} <code className="ml-1 font-mono text-ink-3 text-xs">{`${host}:${port}/${database}`}</code>
      </span>
    ),
  },
  {
    id: "since",
    header: "Failing since",
    width: "130px",
    cell: ({ failing_since }) => (failing_since === null ? NONE : <Time at={failing_since} />),
  },
  {
    id: "next",
    header: "Next attempt",
    width: "110px",
    cell: ({ next_attempt_at }) => (next_attempt_at === null ? NONE : <Countdown until={next_attempt_at} />),
  },
  {
    id: "error",
    header: "Last error",
    width: "minmax(140px, 1.4fr)",
    hidePriority: 1,
    cell: ({ last_error }) =>
      last_error === null ? (
        NONE
      ) : (
        <span className="block truncate text-ink-2" title={last_error}>
          {last_error}
        </span>
      ),
  },
];

const ROW_COLUMNS: Column<OutboxSource>[] = [
  {
    id: "drained",
    header: "Drained",
    width: "84px",
    align: "end",
    narrow: "meta",
    cell: ({ drained_count }) => formatCount(drained_count),
  },
  {
    id: "refused",
    header: "Refused",
    width: "84px",
    align: "end",
    cell: ({ refused_count }) => formatCount(refused_count),
  },
  {
    id: "last",
    header: "Last drained",
    width: "120px",
    hidePriority: 2,
    cell: ({ last_drained_at }) => (last_drained_at === null ? NONE : <Time at={last_drained_at} />),
  },
];

function Actions({ source, disabledReason, onToggle, onRetry }: Given & { source: OutboxSource }) {
  return (
    <span className="inline-flex gap-1">
      <IconButton
        size="small"
        label={`${source.enabled ? "Disable" : "Enable"} ${source.name}`}
        disabledReason={disabledReason}
        icon={source.enabled ? <Pause size={13} /> : <Play size={13} />}
        onClick={() => onToggle(source)}
      />
      <IconButton
        size="small"
        label={`Retry refused rows of ${source.name}`}
        disabledReason={disabledReason ?? (source.refused_count === 0 ? "No row was refused." : undefined)}
        icon={<RotateCcw size={13} />}
        onClick={() => onRetry(source)}
      />
    </span>
  );
}
