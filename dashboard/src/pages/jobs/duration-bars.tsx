import type { DurationDistribution } from "@millrace/contract/analytics";
import { Section } from "../../parts/facts.tsx";
import { formatCount, formatDuration } from "../../parts/format.ts";

const MARKED = [50, 95, 99];

/** How long runs took: a bar for each step of the scale, and where the percentiles lie. */
export function DurationBars({ distribution }: { distribution: DurationDistribution }) {
  const { histogram, percentiles, count } = distribution;
  const most = Math.max(1, ...histogram.map((each) => each.count));
  const marks = percentiles.filter(({ percentile }) => MARKED.includes(percentile));
  return (
    <Section title="Durations">
      <div className="card flex flex-col gap-1 p-4">
        {count === 0 && <p className="text-ink-3">No run ended in this time.</p>}
        {histogram.map((each) => (
          <div key={each.to_ms} className="flex items-center gap-3 text-xs">
            <span className="w-20 flex-none text-right font-mono text-ink-2">≤ {formatDuration(each.to_ms)}</span>
            <span className="h-3 flex-1">
              <span
                className="block h-full min-w-px rounded-xs bg-accent/70"
                style={{ width: `${(100 * each.count) / most}%` }}
              />
            </span>
            <span className="w-12 flex-none text-right font-mono">{formatCount(each.count)}</span>
          </div>
        ))}
        {marks.length > 0 && (
          <p className="mt-1 text-ink-3 text-xs">
            {marks.map(({ percentile, duration_ms }) => `p${percentile} ${formatDuration(duration_ms)}`).join(" · ")}
          </p>
        )}
      </div>
    </Section>
  );
}
