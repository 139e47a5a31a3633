import type { StepImpact, VersionImpact } from "@millrace/contract/workflows/workflow-versions";
import { formatCount, formatPercent, plural } from "../../../parts/format.ts";
import { FigureFrame } from "./figure-frame.tsx";

/** Number of runs that reached each step, and their results. */
export function StepFunnel({ impact: { steps, steps_of_runs: runs, version } }: { impact: VersionImpact }) {
  return (
    <FigureFrame
      title="Step funnel"
      about={`Latest ${plural(runs, "run")} of version ${version}`}
      isEmpty={runs === 0}
      head={["step", "reached", "completed", "failed", "open", "skipped", "canceled"]}
      rows={steps.map((step) => [
        step.step_ref,
        step.reached,
        step.completed,
        step.failed,
        step.open,
        step.skipped,
        step.canceled,
      ])}
    >
      <ul className="mb-2 flex flex-wrap gap-x-4 text-ink-2 text-xs" aria-hidden="true">
        {PARTS.map(({ name, className }) => (
          <li key={name} className="flex items-center gap-1.5">
            <span className={`size-2 rounded-[2px] ${className}`} /> {name}
          </li>
        ))}
      </ul>
      <ol aria-label="Runs that reached each step" className="flex flex-col gap-0.5">
        {steps.map((step) => (
          <Row key={step.step_ref} step={step} runs={runs} />
        ))}
      </ol>
    </FigureFrame>
  );
}

/** Not by color alone. */
const HATCH =
  "bg-[image:repeating-linear-gradient(-45deg,transparent_0_3px,color-mix(in_oklab,var(--color-bg)_40%,transparent)_3px_5px)]";

const PARTS = [
  { name: "completed", className: "bg-success" },
  { name: "failed", className: `bg-failed ${HATCH}` },
  { name: "open", className: "bg-running" },
  { name: "canceled", className: "bg-queued" },
];

function Row({ step, runs }: { step: StepImpact; runs: number }) {
  const { step_ref, reached, completed, failed, open, skipped } = step;
  // Not all canceled ones, because most of those were never reached.
  const canceled = Math.max(0, reached - completed - failed - open);
  const parts = { completed, failed, open, canceled };
  const description = `${step_ref}: reached in ${reached} of ${runs} runs, ${completed} completed, ${failed} failed, ${open} open, ${skipped} skipped`;
  return (
    <li className="grid h-7 grid-cols-[minmax(84px,30%)_1fr_84px] items-center gap-3" title={description}>
      <span className="truncate">{step_ref}</span>
      <span className="flex h-3.5 overflow-hidden rounded-xs bg-hover" aria-hidden="true">
        {PARTS.map(({ name, className }) => (
          <span
            key={name}
            className={className}
            style={{ width: `${(parts[name as keyof typeof parts] / Math.max(1, runs)) * 100}%` }}
          />
        ))}
      </span>
      <span className="text-right font-mono text-xs">
        {formatCount(reached)} <span className="text-ink-3">{formatPercent(reached / Math.max(1, runs))}</span>
      </span>
    </li>
  );
}
