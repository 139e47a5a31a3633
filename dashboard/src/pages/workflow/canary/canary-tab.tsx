import type { CanaryComparison } from "@millrace/contract/workflows/canaries";
import type { Workflow } from "@millrace/contract/workflows/workflows";
import { useApi } from "../../../api/use-api.ts";
import { ErrorState } from "../../../parts/state/error-state.tsx";
import { SkeletonLines } from "../../../parts/state/skeleton.tsx";
import { StatusMark } from "../../../parts/state/status-mark.tsx";
import { Time } from "../../../parts/time.tsx";
import { CanaryCards } from "./canary-cards.tsx";
import { CanaryShare } from "./canary-share.tsx";
import { StartCanary } from "./start-canary.tsx";

/** A version tried on a share of new runs, compared with the current version. */
export function CanaryTab({ workflow }: { workflow: Workflow }) {
  const {
    data: canary,
    error,
    refetch,
  } = useApi<CanaryComparison>(`/v1/workflows/${workflow.id}/canary`, {}, workflow.canary_id !== null);
  if (workflow.canary_id === null) return <StartCanary workflow={workflow} />;
  if (!canary) return error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <SkeletonLines lines={6} />;
  return (
    <div className="flex flex-col gap-6">
      {canary.status === "active" ? (
        <CanaryShare key={canary.id} canary={canary} />
      ) : (
        <p className="flex flex-wrap items-center gap-2 text-ink-2">
          <StatusMark status={canary.status} as="badge" />
          The last canary compared version {canary.target_version} with {canary.source_version}
          {canary.completed_at && (
            <>
              {" "}
              and finished <Time at={canary.completed_at} />
            </>
          )}
          .
        </p>
      )}
      <CanaryCards canary={canary} />
      {canary.status !== "active" && <StartCanary workflow={workflow} />}
    </div>
  );
}
