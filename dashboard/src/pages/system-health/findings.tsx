import type { System, SystemFinding } from "@millrace/contract/service/system";
import { SkeletonLines } from "../../parts/state/skeleton.tsx";
import { StatusMark } from "../../parts/state/status-mark.tsx";

const LOOKS: Record<SystemFinding["status"], [status: string, label: string]> = {
  ok: ["ok", "Healthy"],
  warning: ["degraded", "Warning"],
  failed: ["unhealthy", "Unhealthy"],
};
const WORST_FIRST = ["failed", "warning", "ok"];

/** The server-side checks of `millrace doctor`, worst first. */
export function Findings({ system }: { system: System | undefined }) {
  const findings = system?.findings.toSorted((a, b) => WORST_FIRST.indexOf(a.status) - WORST_FIRST.indexOf(b.status));
  const bad = findings?.filter(({ status }) => status !== "ok").length ?? 0;
  return (
    <section aria-label="Diagnostics" className="card overflow-hidden">
      <h2 className="flex h-10 items-center justify-between px-4 font-medium">
        Diagnostics{" "}
        {findings && (
          <span className="font-normal text-ink-2 text-xs">
            {bad === 0 ? "No issues found" : `${bad} of ${findings.length} need attention`}
          </span>
        )}
      </h2>
      {findings ? (
        <ul className="divide-y border-t">
          {findings.map(({ check, status, message, remedy }) => (
            <li key={check} className="flex min-h-10 flex-wrap items-center gap-x-4 gap-y-0.5 px-4 py-1.5">
              <span className="w-32 flex-none truncate font-medium max-sm:w-auto">{check}</span>
              <span className="w-28 flex-none">
                <StatusMark status={LOOKS[status][0]} label={LOOKS[status][1]} />
              </span>
              <span className="min-w-0 flex-1 basis-44 max-sm:basis-full">
                {message}
                {remedy !== "" && <span className="block text-ink-2">{remedy}</span>}
              </span>
            </li>
          ))}
        </ul>
      ) : (
        <div className="border-t p-4">
          <SkeletonLines lines={5} />
        </div>
      )}
    </section>
  );
}
