import type { DurationDistribution } from "@millrace/contract/analytics/run-analytics";
import { cx } from "../../parts/class-names.ts";
import { formatCount, formatDuration } from "../../parts/format.ts";
import { Skeleton } from "../../parts/state/skeleton.tsx";

const HEIGHT = 150;
const LINE = 16;
const SHOWN = [50, 95, 99];
const MIN_BARS = 9;
const MIN_BAR_PX = 16;
const MAX_RIGHT = 0.85;

type Step = { from_ms: number; to_ms: number; count: number };

/** Bars at 1, 2, 5, 10 … ms of equal width, with percentile marks. */
export function Histogram({ data, isLog }: { data: DurationDistribution | undefined; isLog: boolean }) {
  if (!data) return <Skeleton className="h-[218px] w-full" />; // height of the bars with mark labels and axis
  const steps = widened(data.histogram);
  const max = Math.max(1, ...steps.map(({ count }) => count));
  const part = (count: number) => (isLog ? Math.log1p(count) / Math.log1p(max) : count / max);
  const marks = data.percentiles.filter(({ percentile }) => SHOWN.includes(percentile));
  return (
    <section className="@container overflow-x-auto" tabIndex={0} aria-label="Histogram of durations">
      <div style={{ minWidth: steps.length * MIN_BAR_PX }}>
        <div
          className="relative flex items-end border-b"
          style={{ height: HEIGHT + marks.length * LINE, paddingTop: marks.length * LINE }}
        >
          {steps.map(({ from_ms, to_ms, count }) => (
            <div
              key={from_ms}
              className="flex h-full min-w-0 flex-1 items-end px-px"
              title={`${formatDuration(from_ms)} – ${formatDuration(to_ms)}: ${formatCount(count)}`}
            >
              <div
                className="w-full rounded-t-[2px] bg-accent"
                style={{ height: count > 0 ? `max(${part(count) * 100}%, 2px)` : 0 }}
              />
            </div>
          ))}
          {marks.map(({ percentile, duration_ms }, nth) => (
            <PercentileMark
              key={percentile}
              label={`p${percentile} ${formatDuration(duration_ms)}`}
              place={placeOf(duration_ms, steps)}
              line={nth}
            />
          ))}
        </div>
        <div className="flex h-5 text-xs text-ink-3">
          {steps.length === 0 ? (
            <span>0 ms</span>
          ) : (
            steps.map(({ to_ms }, nth) => (
              <span
                key={to_ms}
                className={cx("flex min-w-0 flex-1 justify-end whitespace-nowrap pt-1", labelLook(nth, steps.length))}
              >
                {formatDuration(to_ms)}
              </span>
            ))
          )}
        </div>
      </div>
    </section>
  );
}

/** Labels every second or third bar where bars are narrower than their labels. */
function labelLook(nth: number, count: number): string | false {
  const isMany = count > MIN_BARS;
  const isLabeled = (count - 1 - nth) % (isMany ? 3 : 2) === 0;
  return !isLabeled && (isMany ? "@max-3xl:invisible" : "@max-md:invisible");
}

/** A line across the bars; its label is on the side that has room. */
function PercentileMark({ label, place, line }: { label: string; place: number; line: number }) {
  return (
    <div
      className="absolute bottom-0 border-ink-3 border-l border-dashed"
      style={{ left: `${place * 100}%`, top: line * LINE }}
    >
      <span
        className={cx(
          "-top-px absolute whitespace-nowrap bg-bg px-1 text-xs text-ink-2 leading-4",
          place > MAX_RIGHT ? "right-0" : "left-0",
        )}
      >
        {label}
      </span>
    </div>
  );
}

/** Adds empty buckets (1, 2, 5, 10 …) on both sides, so that one bar does not fill the chart. */
function widened(steps: Step[]): Step[] {
  const wide = [...steps];
  for (let nth = 0; wide.length > 0 && wide.length < MIN_BARS; nth++) {
    const [first, last] = [wide[0] as Step, wide.at(-1) as Step];
    if (nth % 2 === 0 && first.from_ms > 1)
      wide.unshift({ from_ms: stepBelow(first.from_ms), to_ms: first.from_ms, count: 0 });
    else wide.push({ from_ms: last.to_ms, to_ms: last.to_ms * (isTwo(last.to_ms) ? 2.5 : 2), count: 0 });
  }
  return wide;
}

function stepBelow(ms: number): number {
  return ms / (String(ms).startsWith("5") ? 2.5 : 2);
}

function isTwo(ms: number): boolean {
  return String(ms).startsWith("2");
}

/** Position of a duration along the axis, 0 to 1. */
function placeOf(ms: number, steps: Step[]): number {
  const nth = steps.findIndex(({ to_ms }) => ms <= to_ms);
  const step = steps[nth];
  if (!step) return 1;
  const within = (ms - step.from_ms) / Math.max(1, step.to_ms - step.from_ms);
  return (nth + Math.min(1, Math.max(0, within))) / steps.length;
}
