import type { RunLog } from "@millrace/contract/runs/run-records";
import { Download, ListEnd, Search, WrapText } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { downloadText } from "../../parts/code/download.ts";
import { IconButton } from "../../parts/form/icon-button.tsx";
import { formatCount } from "../../parts/format.ts";
import { STILL_LOADING } from "../../parts/state/messages.ts";
import { Segments } from "../../parts/tabs.tsx";
import type { LogFilter } from "./use-run-logs.ts";

const MINIMA = [
  { id: "debug", label: "All" },
  { id: "info", label: "Info +" },
  { id: "warn", label: "Warn +" },
  { id: "error", label: "Errors" },
];

type BarProps = {
  filter: LogFilter;
  onFilter: (filter: LogFilter) => void;
  lines: RunLog[] | undefined;
  hasMore: boolean;
  isFollowing: boolean;
  onFollow: () => void;
  isWrapped: boolean;
  onWrap: () => void;
};

const DEBOUNCE_MS = 250;

/** Log filter and actions. The search is debounced. */
export function LogBar({ filter, onFilter, lines, hasMore, isFollowing, onFollow, isWrapped, onWrap }: BarProps) {
  const [text, setText] = useState(filter.q);
  const latest = useRef({ filter, onFilter });
  latest.current = { filter, onFilter };
  useEffect(() => {
    const timer = setTimeout(() => {
      const { filter: now, onFilter: apply } = latest.current;
      if (text !== now.q) apply({ ...now, q: text });
    }, DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Segments label="Level" value={filter.min} options={MINIMA} onChange={(min) => onFilter({ ...filter, min })} />
      <div className="relative min-w-40 max-w-80 flex-1">
        <Search size={14} className="absolute top-[9px] left-2.5 text-ink-3" aria-hidden="true" />
        <input
          type="search"
          aria-label="Search log"
          placeholder="Search"
          value={text}
          onChange={(event) => setText(event.target.value)}
          className="field w-full pl-8"
        />
      </div>
      <span className="ml-auto text-ink-3 text-xs">
        {lines &&
          `${formatCount(lines.length)}${hasMore ? "+" : ""} ${lines.length === 1 && !hasMore ? "line" : "lines"}`}
      </span>
      <IconButton label="Wrap lines" pressed={isWrapped} icon={<WrapText size={15} />} onClick={onWrap} />
      <IconButton label="Follow log" pressed={isFollowing} icon={<ListEnd size={15} />} onClick={onFollow} />
      <IconButton
        label="Download shown lines"
        icon={<Download size={15} />}
        disabledReason={lines ? undefined : STILL_LOADING}
        onClick={() => lines && downloadText("log.ndjson", lines.map((each) => `${JSON.stringify(each)}\n`).join(""))}
      />
    </div>
  );
}
