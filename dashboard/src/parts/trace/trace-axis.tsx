import { useMemo, useRef } from "react";
import type { Scale } from "../chart/waterfall-scale.ts";
import { cx } from "../class-names.ts";
import { formatDuration } from "../format.ts";
import { useWidth } from "../use-width.ts";
import { NAMES, TIMES } from "./trace-row.tsx";
import { ticksOf } from "./trace-scale.ts";
import type { TraceWindow } from "./trace-types.ts";

/** Time since the start of the trace. Collapsed idle time says how long it was. */
export function TraceAxis({ scale, window, spans }: { scale: Scale; window: TraceWindow; spans: string }) {
  const track = useRef<HTMLSpanElement>(null);
  const widthPx = useWidth(track);
  const ticks = useMemo(() => ticksOf(scale, window, widthPx), [scale, window, widthPx]);
  const width = window.to - window.from;
  return (
    <div className="flex h-6 flex-none items-center gap-2 border-b px-1 text-ink-3 text-xs" data-axis="">
      <span className={cx(NAMES, "truncate")}>{spans}</span>
      <span ref={track} className="relative h-full min-w-0 flex-1 overflow-hidden font-mono">
        {ticks.map(({ at, ms }) => (
          <span
            key={ms}
            data-tick=""
            className="absolute inset-y-0 flex items-center whitespace-nowrap border-l pl-1"
            style={{ left: `${at * 100}%` }}
          >
            {ms === 0 ? "0" : formatDuration(ms)}
          </span>
        ))}
        {scale.breaks.map((gap) => (
          <span
            key={gap.from}
            title={`${formatDuration(gap.ms)} idle`}
            className="hatch absolute inset-y-0 overflow-hidden whitespace-nowrap bg-bg text-center leading-6"
            style={{
              left: `${((gap.from - window.from) / width) * 100}%`,
              width: `${((gap.to - gap.from) / width) * 100}%`,
            }}
          >
            {shortDuration(gap.ms)}
          </span>
        ))}
      </span>
      <span className={cx(TIMES, "text-right")}>Duration</span>
    </div>
  );
}

/** Only the largest unit: collapsed time has little room. */
function shortDuration(ms: number): string {
  return formatDuration(ms).replace(/^(\d+)(?:\.\d+)? ?([a-z]+).*/, "$1$2");
}
