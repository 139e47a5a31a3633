import type { StepImpact, VersionImpact } from "@millrace/contract/workflows/workflow-versions";
import { formatDuration, plural } from "../../../parts/format.ts";
import { FigureFrame } from "./figure-frame.tsx";

type Durations = NonNullable<StepImpact["durations"]>;

/** Step durations: line from p5 to p95, box from p25 to p75, mark at the median. */
export function StepBoxes({ impact: { steps, steps_of_runs: runs, version } }: { impact: VersionImpact }) {
  const timed = steps.filter((step): step is StepImpact & { durations: Durations } => step.durations !== null);
  const scale = scaleOf(timed.map(({ durations }) => durations));
  return (
    <FigureFrame
      title="Duration by step"
      about={`Latest ${plural(runs, "run")} of version ${version}, on a logarithmic scale`}
      isEmpty={timed.length === 0}
      head={["step", "p5_ms", "p25_ms", "p50_ms", "p75_ms", "p95_ms"]}
      rows={timed.map(({ step_ref, durations: d }) => [step_ref, d.p5_ms, d.p25_ms, d.p50_ms, d.p75_ms, d.p95_ms])}
    >
      <p className="mb-2 text-ink-2 text-xs" aria-hidden="true">
        Line: p5 to p95. Box: p25 to p75. Mark: median.
      </p>
      <ol aria-label="Step durations" className="flex flex-col gap-0.5">
        {timed.map(({ step_ref, durations }) => (
          <Row key={step_ref} name={step_ref} durations={durations} scale={scale} />
        ))}
      </ol>
    </FigureFrame>
  );
}

function Row({ name, durations, scale }: { name: string; durations: Durations; scale: Scale }) {
  const { p5_ms, p25_ms, p50_ms, p75_ms, p95_ms } = durations;
  const at = (ms: number) => scale(ms) * 100;
  const description = `${name}: median ${formatDuration(p50_ms)}, p25 ${formatDuration(p25_ms)}, p75 ${formatDuration(p75_ms)}, p95 ${formatDuration(p95_ms)}`;
  return (
    <li className="grid h-7 grid-cols-[minmax(84px,30%)_1fr_84px] items-center gap-3" title={description}>
      <span className="truncate">{name}</span>
      <span className="relative h-full" aria-hidden="true">
        <span className="absolute inset-x-0 top-1/2 border-t border-dotted" />
        <span
          className="absolute top-1/2 h-px bg-ink-3"
          style={{ left: `${at(p5_ms)}%`, width: `${at(p95_ms) - at(p5_ms)}%` }}
        />
        <span
          data-box=""
          className="absolute top-[7px] h-3.5 min-w-1 rounded-[2px] border border-accent bg-selected"
          style={{ left: `${at(p25_ms)}%`, width: `${at(p75_ms) - at(p25_ms)}%` }}
        />
        <span className="absolute top-[5px] h-[18px] w-0.5 bg-accent" style={{ left: `${at(p50_ms)}%` }} />
      </span>
      <span className="text-right font-mono text-xs">{formatDuration(p50_ms)}</span>
    </li>
  );
}

type Scale = (ms: number) => number;

/** Logarithmic scale from half of the shortest to the longest duration. */
function scaleOf(all: Durations[]): Scale {
  const min = Math.log1p(Math.min(...all.map(({ p5_ms }) => p5_ms)) / 2);
  const max = Math.log1p(Math.max(1, ...all.map(({ p95_ms }) => p95_ms)));
  return (ms) => (Math.log1p(ms) - min) / (max - min);
}
