import type { DurationDistribution } from "@millrace/contract/analytics/run-analytics";
import { Section } from "../../parts/facts.tsx";
import { formatCount, formatDuration } from "../../parts/format.ts";
import { Histogram } from "../shared-analytics/histogram.tsx";

/** Run durations with percentile marks. */
export function Durations({ distribution }: { distribution: DurationDistribution | undefined }) {
  const mean = distribution?.mean_ms ?? null;
  return (
    <Section
      title="Durations"
      actions={
        distribution && (
          <span className="text-ink-3 text-xs">
            {distribution.count === 0
              ? "No run finished in this period"
              : `${formatCount(distribution.count)} finished${mean === null ? "" : `, mean ${formatDuration(mean)}`}`}
          </span>
        )
      }
    >
      <div className="card p-4">
        <Histogram data={distribution} isLog={false} />
      </div>
    </Section>
  );
}
