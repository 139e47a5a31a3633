import type { WorkflowSimulation } from "@millrace/contract/workflows/workflow-versions";
import { plural } from "../../parts/format.ts";
import { StatusMark } from "../../parts/state/status-mark.tsx";

/** Predicted steps of a run. */
export function SimulationView({
  simulation: { predicted_order, step_count, branches },
}: {
  simulation: WorkflowSimulation;
}) {
  const steps = new Map(branches?.steps.map((step) => [step.step_ref, step]));
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <p className="flex flex-wrap items-center gap-2">
        {branches && <StatusMark status={branches.status} as="badge" />}
        <span className="text-ink-2">
          {plural(step_count, "step")}
          {branches && `, ${branches.order.length} started`}
        </span>
        {branches?.error && <span className="text-failed-ink">{branches.error.message}</span>}
      </p>
      <ol className="card divide-y" aria-label="Predicted order">
        {predicted_order.map((ref, nth) => {
          const step = steps.get(ref);
          return (
            <li key={ref} className="flex min-h-9 items-center gap-x-3 px-3 py-1 max-sm:flex-wrap">
              <span className="w-6 flex-none text-right font-mono text-ink-3 text-xs">{nth + 1}</span>
              <span className="w-28 flex-none">{step && <StatusMark status={step.status} />}</span>
              <span className="min-w-0 truncate font-medium">{ref}</span>
              <span className="ml-auto min-w-0 truncate text-ink-2 text-xs max-sm:basis-full max-sm:pl-9">
                {step?.reason}
              </span>
            </li>
          );
        })}
      </ol>
      {branches && branches.compensations.length > 0 && (
        <p className="text-ink-2">Compensated before the run finishes: {branches.compensations.join(", ")}</p>
      )}
    </div>
  );
}
