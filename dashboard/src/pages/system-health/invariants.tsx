import type { Invariant } from "@millrace/contract/service/invariants";
import type { System } from "@millrace/contract/service/system";
import { SkeletonLines } from "../../parts/state/skeleton.tsx";
import { StatusMark } from "../../parts/state/status-mark.tsx";

const LOOKS: Record<Invariant["status"], [status: string, label: string]> = {
  ok: ["ok", "OK"],
  violated: ["unhealthy", "Violated"],
  unchecked: ["degraded", "Not checked"],
};

/** The guarantees that no run is lost or stuck, as an engine instance last found them. */
export function Invariants({ system }: { system: System | undefined }) {
  const repaired = system?.invariants.reduce((sum, each) => sum + each.repaired, 0);
  return (
    <section aria-label="Invariants" className="card overflow-hidden">
      <h2 className="flex h-10 items-center justify-between px-4 font-medium">
        Invariants{" "}
        {repaired !== undefined && (
          <span className="font-normal text-ink-2 text-xs">{`${repaired.toLocaleString("en")} repaired so far`}</span>
        )}
      </h2>
      {system ? (
        <ul className="divide-y border-t">
          {system.invariants.map((invariant) => (
            <Row key={invariant.name} invariant={invariant} />
          ))}
        </ul>
      ) : (
        <div className="border-t p-4">
          <SkeletonLines lines={8} />
        </div>
      )}
    </section>
  );
}

function Row({ invariant: { guarantee, status, violations, remedy } }: { invariant: Invariant }) {
  const [look, label] = LOOKS[status];
  return (
    <li className="flex min-h-10 flex-wrap items-center gap-x-4 gap-y-0.5 px-4 py-1.5">
      <span className="w-28 flex-none">
        <StatusMark status={look} label={violations > 0 ? `${label}: ${violations}` : label} />
      </span>
      <span className="min-w-0 flex-1 basis-44 max-sm:basis-full">
        {guarantee.replaceAll("`", "")}
        {remedy !== "" && <span className="block text-ink-2">{remedy}</span>}
      </span>
    </li>
  );
}
