import type { CanaryComparison, VersionMetrics } from "@millrace/contract/workflows/canaries";
import { CircleCheck, TriangleAlert } from "lucide-react";
import { formatCount, formatDuration, formatPercent, plural } from "../../../parts/format.ts";

const ENOUGH = 20;
/** Above this an automatic canary stops. */
const LOOKS_WORSE = 0.8;

/** Results of both versions, and whether they are significant. */
export function CanaryCards({ canary: { metrics } }: { canary: CanaryComparison }) {
  const { source, target, probability_target_worse: worse } = metrics;
  return (
    <div className="flex flex-col gap-3">
      <div className="grid gap-4 sm:grid-cols-2">
        <Card title={`Version ${source.version}`} part="Source: current version" metrics={source} />
        <Card title={`Version ${target.version}`} part="Target: canary" metrics={target} against={source} />
      </div>
      {worse !== null && endedOf(target) >= ENOUGH && (
        <p className="flex items-center gap-2 text-ink-2">
          {worse > LOOKS_WORSE ? (
            <TriangleAlert size={15} aria-hidden="true" className="flex-none text-retrying-ink" />
          ) : (
            <CircleCheck size={15} aria-hidden="true" className="flex-none text-success-ink" />
          )}
          <span>
            Probability that the target fails more often than the source:{" "}
            <strong className="font-medium text-ink">{formatPercent(worse)}</strong>.
          </span>
        </p>
      )}
    </div>
  );
}

type CardProps = { title: string; part: string; metrics: VersionMetrics; against?: VersionMetrics };

function Card({ title, part, metrics, against }: CardProps) {
  const ended = endedOf(metrics);
  const slower = against?.p95_ms && metrics.p95_ms ? metrics.p95_ms / against.p95_ms - 1 : undefined;
  return (
    <section aria-label={title} className="card flex flex-col gap-4 p-4">
      <header className="flex items-baseline justify-between gap-2">
        <h3 className="font-semibold text-base">{title}</h3>
        <span className="text-ink-3 text-xs">{part}</span>
      </header>
      <dl className="grid grid-cols-3 gap-3">
        <Figure name="Success" value={metrics.success_rate === null ? "–" : formatPercent(metrics.success_rate)} />
        <Figure name="p95" value={metrics.p95_ms === null ? "–" : formatDuration(metrics.p95_ms)} />
        <Figure name="Runs" value={formatCount(metrics.runs)} />
      </dl>
      <p className="text-ink-2 text-xs">
        {plural(ended, "run")} finished, {metrics.active_runs} in flight.{" "}
        {ended < ENOUGH
          ? `Not enough data yet: at least ${ENOUGH} finished runs are needed.`
          : slower !== undefined &&
            Math.abs(slower) >= 0.01 &&
            `p95 is ${formatPercent(Math.abs(slower))} ${slower > 0 ? "longer" : "shorter"} than the source's.`}
      </p>
    </section>
  );
}

function Figure({ name, value }: { name: string; value: string }) {
  return (
    <div className="flex min-w-0 flex-col">
      <dt className="text-ink-2 text-xs">{name}</dt>
      <dd className="truncate font-semibold text-xl tracking-[-0.01em]">{value}</dd>
    </div>
  );
}

function endedOf({ runs, active_runs }: VersionMetrics): number {
  return Math.max(0, runs - active_runs);
}
