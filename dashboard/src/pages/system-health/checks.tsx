import type { Readiness } from "@millrace/contract/service/health";
import { SkeletonLines } from "../../parts/state/skeleton.tsx";
import { StatusMark } from "../../parts/state/status-mark.tsx";

const DESCRIPTIONS: Record<string, string> = {
  database: "PostgreSQL responds to queries.",
  engine: "The tasks that process runs are running on schedule.",
  instance: "The instance accepts requests.",
};

/** Readiness checks as a load balancer sees them. */
export function Checks({ readiness, hasFailed }: { readiness: Readiness | undefined; hasFailed: boolean }) {
  return (
    <section aria-label="Readiness checks" className="card overflow-hidden">
      <h2 className="flex h-10 items-center justify-between px-4 font-medium">
        Readiness checks{" "}
        {readiness && (
          <StatusMark status={readiness.ready ? "ok" : "unhealthy"} label={readiness.ready ? "Ready" : "Not ready"} />
        )}
      </h2>
      {!readiness && !hasFailed && (
        <div className="border-t p-4">
          <SkeletonLines lines={2} />
        </div>
      )}
      {readiness && (
        <ul className="divide-y border-t">
          {Object.entries(readiness.checks).map(([name, result]) => (
            <li key={name} className="flex min-h-10 flex-wrap items-center gap-x-4 gap-y-0.5 px-4 py-1.5">
              <span className="w-32 flex-none truncate font-medium max-sm:w-auto">{name}</span>
              <span className="w-28 flex-none">
                <StatusMark
                  status={result === "ok" ? "ok" : "unhealthy"}
                  label={result === "ok" ? "Healthy" : result}
                />
              </span>
              <span className="min-w-0 flex-1 basis-44 text-ink-2 max-sm:basis-full">{DESCRIPTIONS[name]}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
