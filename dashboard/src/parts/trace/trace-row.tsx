import {
  Bookmark,
  ChevronRight,
  Hourglass,
  ListOrdered,
  LoaderCircle,
  type LucideIcon,
  Pause,
  Play,
  Repeat2,
  RotateCw,
  ScrollText,
  SquareCode,
  Undo2,
  Workflow,
  Wrench,
  Zap,
} from "lucide-react";
import { memo } from "react";
import type { Scale } from "../chart/waterfall-scale.ts";
import { cx } from "../class-names.ts";
import { formatDuration } from "../format.ts";
import { StatusMark } from "../state/status-mark.tsx";
import { FAMILY_FILL, lookOf } from "../state/statuses.ts";
import type { TraceRow as Row } from "./trace-rows.ts";
import { endOf } from "./trace-scale.ts";
import type { TraceWindow } from "./trace-types.ts";

type Props = {
  row: Row;
  top: number;
  height: number;
  scale: Scale;
  window: TraceWindow;
  /** Used only by open spans. */
  now: number;
  isCurrent: boolean;
  isSelected: boolean;
  isMatch: boolean;
  onSelect: (id: string) => void;
  onToggle: (id: string) => void;
};

/** Width of the names, which the axis leaves free. */
export const NAMES = "w-[clamp(156px,34%,440px)] flex-none";
export const TIMES = "w-16 flex-none";

/** One span: its place in the tree, its bar and its duration. */
export const TraceRow = memo(function TraceRow(props: Props) {
  const { row, top, height, isCurrent, isSelected, isMatch, onSelect, now } = props;
  const { item, level, place, siblings, isExpandable, isOpen } = row;
  const duration = item.isMoment ? "" : formatDuration(endOf(item, now) - item.from);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree handles the keys of all items
    <div
      role="treeitem"
      aria-level={level}
      aria-posinset={place}
      aria-setsize={siblings}
      aria-selected={isSelected}
      aria-expanded={isExpandable ? isOpen : undefined}
      tabIndex={isCurrent ? 0 : -1}
      data-span={item.id}
      onClick={() => onSelect(item.id)}
      className={cx(
        "absolute inset-x-0 flex cursor-pointer items-center gap-2 rounded-xs px-1 -outline-offset-2 hover:bg-hover",
        isSelected && "bg-selected",
      )}
      style={{ top, height }}
    >
      <Name {...props} isMatch={isMatch} />
      <span className="relative h-full min-w-0 flex-1 overflow-hidden">
        <Track {...props} />
      </span>
      <span className={cx(TIMES, "text-right font-mono text-ink-2 text-xs")}>{duration}</span>
    </div>
  );
});

function Name({ row: { item, level, isExpandable, isOpen }, isMatch, onToggle }: Props) {
  const Icon = ICONS[item.kind] ?? Zap;
  return (
    <span
      className={cx(NAMES, "flex items-center gap-1.5 overflow-hidden")}
      style={{ paddingLeft: Math.min(level - 1, 12) * 14 }}
    >
      {/* The arrow keys do the same, so it is no second control in the accessibility tree. */}
      <span
        aria-hidden="true"
        onClick={(event) => {
          if (!isExpandable) return;
          event.stopPropagation();
          onToggle(item.id);
        }}
        data-toggle=""
        className="grid h-6 w-5 flex-none place-items-center rounded-xs text-ink-3 hover:bg-hover hover:text-ink"
      >
        {item.isLoading ? (
          <LoaderCircle size={12} className="animate-spin" />
        ) : (
          isExpandable && <ChevronRight size={13} className={isOpen ? "rotate-90" : ""} />
        )}
      </span>
      {item.kind !== "log" && <StatusMark status={item.status} as="mark" />}
      <Icon
        size={13}
        aria-hidden="true"
        // A phone has no room for both: the name says what a span is, but only the icon marks a log line.
        className={cx("flex-none", LEVELS[item.status] ?? "text-ink-3", item.kind !== "log" && "max-sm:hidden")}
      />
      <span className={cx("min-w-0 truncate text-xs", isMatch && "bg-accent/20", item.isMoment && "text-ink-2")}>
        {item.label}
        {item.note && <span className="ml-1.5 text-ink-3">{item.note}</span>}
      </span>
    </span>
  );
}

const ICONS: Record<string, LucideIcon> = {
  run: Zap,
  workflow_run: Workflow,
  workflow_step: Zap,
  map_item: Repeat2,
  compensation: Undo2,
  queue: ListOrdered,
  attempt: Play,
  backoff: RotateCw,
  pause: Pause,
  wait: Hourglass,
  step: SquareCode,
  tool_call: Wrench,
  checkpoint: Bookmark,
  log: ScrollText,
};

const LEVELS: Record<string, string> = { warn: "text-retrying", error: "text-failed" };

const inPercent = (share: number) => `${share * 100}%`;

function Track({ row: { item }, scale, window, now }: Props) {
  const width = window.to - window.from;
  const share = (at: number) => (at - window.from) / width;
  const from = share(scale.place(item.from));
  const to = share(scale.place(endOf(item, now)));
  return (
    <>
      {scale.breaks.map((gap) => (
        <span
          key={gap.from}
          className="hatch absolute inset-y-0"
          style={{ left: inPercent(share(gap.from)), width: inPercent((gap.to - gap.from) / width) }}
        />
      ))}
      {item.isMoment ? (
        <span
          data-moment=""
          className={cx("absolute top-[10px] size-2 -translate-x-1 rotate-45", MOMENTS[item.status] ?? "bg-ink-3")}
          style={{ left: inPercent(from) }}
        />
      ) : (
        <span
          data-bar=""
          className={cx(
            "absolute rounded-xs",
            item.isIdle ? "top-[12px] h-1" : "top-[8px] h-3",
            FAMILY_FILL[lookOf(item.status).family],
          )}
          style={{ left: inPercent(from), width: `max(2px, ${inPercent(to - from)})` }}
        />
      )}
    </>
  );
}

const MOMENTS: Record<string, string> = { warn: "bg-retrying", error: "bg-failed", completed: "bg-ink" };
