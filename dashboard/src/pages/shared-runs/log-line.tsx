import type { RunLog } from "@millrace/contract/runs/run-records";
import { Link2, X } from "lucide-react";
import { cx } from "../../parts/class-names.ts";
import { copyText } from "../../parts/code/copy-text.ts";
import { Json } from "../../parts/code/json.tsx";
import { IconButton } from "../../parts/form/icon-button.tsx";
import { formatInstant, formatTimeOfDay } from "../../parts/format.ts";
import { toast } from "../../parts/overlay/toasts.tsx";
import { useSettings } from "../../parts/settings.ts";

const LOOKS: Record<string, string> = {
  debug: "text-ink-3",
  info: "text-ink-2",
  warn: "text-retrying-ink",
  error: "text-failed-ink",
};

type Props = {
  line: RunLog;
  top: number;
  isCurrent: boolean;
  onClick: () => void;
  /** Height of a single-line row. Without it the row wraps and is as high as needed. */
  height?: number;
  index?: number;
  measure?: (node: Element | null) => void;
};

/** A log row, on one line or wrapped; shown in full below when selected. */
export function LogLine({ line, top, height, index, measure, isCurrent, onClick }: Props) {
  const { zone } = useSettings();
  const { level, message, fields, logged_at, attempt } = line;
  const isWrapped = height === undefined;
  return (
    <button
      type="button"
      ref={measure}
      data-index={index}
      tabIndex={-1}
      aria-pressed={isCurrent}
      onClick={onClick}
      className={cx(
        "absolute inset-x-0 flex gap-3 px-3 text-left",
        isWrapped ? "items-baseline whitespace-pre-wrap py-[3px]" : "items-center whitespace-pre",
        isCurrent ? "bg-selected" : "hover:bg-hover",
      )}
      style={{ height, transform: `translateY(${top}px)` }}
    >
      <span className="flex-none text-ink-3">{formatTimeOfDay(logged_at, zone)}</span>
      <span className={cx("w-10 flex-none uppercase", LOOKS[level])}>{level}</span>
      <span className="w-4 flex-none text-ink-3" title={`Attempt ${attempt}`}>
        {attempt}
      </span>
      <span className={isWrapped ? "min-w-0" : undefined}>
        <span className={level === "error" ? "text-failed-ink" : "text-ink"}>
          {isWrapped ? message.slice(0, MAX_WRAPPED) : firstLine(message)}
        </span>
        {fields && <span className="ml-3 text-ink-3">{JSON.stringify(fields).slice(0, 200)}</span>}
      </span>
    </button>
  );
}

const MAX_WRAPPED = 4_000;

function firstLine(message: string): string {
  const end = message.indexOf("\n");
  return end === -1 ? message.slice(0, 500) : `${message.slice(0, Math.min(end, 500))} ⏎`;
}

/** A log line in full, with its fields. */
export function WholeLine({ line, onClose }: { line: RunLog; onClose: () => void }) {
  const { zone } = useSettings();
  const copyLink = async () => {
    if (await copyText(location.href)) toast({ title: "Link to this line copied" });
  };
  return (
    <section aria-label="Log line" className="card flex flex-col gap-2 p-3">
      <header className="flex items-center gap-2 text-ink-2 text-xs">
        <span className={cx("font-mono uppercase", LOOKS[line.level])}>{line.level}</span>
        <span>{formatInstant(line.logged_at, zone)}</span>
        <span>attempt {line.attempt}</span>
        <span className="ml-auto flex">
          <IconButton
            size="small"
            label="Copy link to this line"
            icon={<Link2 size={14} />}
            onClick={() => void copyLink()}
          />
          <IconButton size="small" label="Close log line" icon={<X size={14} />} onClick={onClose} />
        </span>
      </header>
      <p className="whitespace-pre-wrap break-words font-mono text-xs leading-5">{line.message}</p>
      {line.fields && <Json value={line.fields} />}
    </section>
  );
}
