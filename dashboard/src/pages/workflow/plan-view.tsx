import type { WorkflowPlan } from "@millrace/contract/workflows/workflow-versions";
import { cx } from "../../parts/class-names.ts";
import { formatDuration, plural } from "../../parts/format.ts";
import { Badge } from "../../parts/state/badge.tsx";
import { MarkIcon } from "../../parts/state/status-mark.tsx";
import { kindOf } from "../shared-workflows/step-kinds.ts";
import { CyclePicture } from "./cycle-picture.tsx";

/** Waves as columns, with errors and policy violations on top. */
export function PlanView({ plan }: { plan: WorkflowPlan }) {
  const { critical_path, policy_violations, issues, is_valid } = plan;
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <p className="flex flex-wrap items-center gap-2">
        <Badge tone={is_valid ? "good" : "danger"}>{is_valid ? "Valid" : "Invalid"}</Badge>
        <span className="text-ink-2">
          Version {plan.version}: {plural(plan.step_count, "step")} in {plural(plan.waves.length, "wave")}
          {plan.is_overridden && ", with overrides"}
        </span>
        {critical_path && (
          <span className="text-ink-2">
            Critical path:{" "}
            {critical_path.estimate_ms === null
              ? "not estimated yet"
              : `about ${formatDuration(critical_path.estimate_ms)}`}
          </span>
        )}
      </p>
      <Issues title="Policy" issues={policy_violations} />
      <Issues title="Error" issues={issues} />
      <CyclePicture issues={issues} />
      <Waves plan={plan} />
    </div>
  );
}

function Issues({ title, issues }: { title: string; issues: WorkflowPlan["issues"] }) {
  if (issues.length === 0) return null;
  return (
    <div role="alert">
      <ul className="flex flex-col gap-1">
        {issues.map(({ location, message }) => (
          <li
            key={`${location} ${message}`}
            className="flex items-baseline gap-2 rounded-sm border border-l-2 border-l-failed bg-surface px-3 py-1.5"
          >
            <MarkIcon shape="octagon" className="translate-y-0.5 text-failed" />
            <span className="text-ink-2 text-xs">{title}</span>
            <code className="font-mono text-xs">{location}</code>
            <span>{message}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Waves({ plan: { waves, steps, critical_path } }: { plan: WorkflowPlan }) {
  const byRef = new Map(steps.map((step) => [step.step_ref, step]));
  const critical = new Set(critical_path?.step_refs);
  return (
    <ol className="flex gap-3 overflow-x-auto pb-2" aria-label="Waves" tabIndex={0}>
      {waves.map((refs, nth) => (
        <li key={refs.join(" ")} className="flex min-w-32 flex-1 flex-col gap-2">
          <span className="font-medium text-ink-2 text-xs">Wave {nth + 1}</span>
          <ul className="flex flex-col gap-1.5">
            {refs.map((ref) => {
              const step = byRef.get(ref);
              const { label, Icon } = kindOf(step?.type ?? "job");
              return (
                <li key={ref} className={cx("card px-3 py-2", critical.has(ref) && "border-accent")}>
                  <span className="block truncate font-medium" title={ref}>
                    {ref}
                  </span>
                  <span className="flex items-center gap-1 text-ink-3 text-xs">
                    <Icon size={12} aria-hidden="true" /> {label}
                    {step?.estimate_ms !== null && step && (
                      <span className="ml-auto font-mono">~ {formatDuration(step.estimate_ms)}</span>
                    )}
                  </span>
                </li>
              );
            })}
          </ul>
        </li>
      ))}
    </ol>
  );
}
