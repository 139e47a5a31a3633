import type { RunDependencyStatus } from "@millrace/contract/runs/run-dependencies";
import type { Run } from "@millrace/contract/runs/runs";
import { useApi } from "../../api/use-api.ts";
import { CodeBlock } from "../../parts/code/code-block.tsx";
import { Badge } from "../../parts/state/badge.tsx";
import { EmptyState } from "../../parts/state/empty-state.tsx";
import { ErrorState } from "../../parts/state/error-state.tsx";
import { SkeletonLines } from "../../parts/state/skeleton.tsx";
import { StatusMark } from "../../parts/state/status-mark.tsx";
import { usePlace } from "../../shell/place/place.ts";
import { RefLink } from "./run-header.tsx";

export function DependenciesTab({ run }: { run: Run }) {
  const { at } = usePlace();
  const { data, error, refetch } = useApi<RunDependencyStatus>(`/v1/runs/${run.id}/dependency-status`);
  if (error && !data) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!data) return <SkeletonLines />;
  if (data.dependencies.length === 0) {
    return (
      <EmptyState
        small
        title="No dependencies"
        code={<CodeBlock code={`{\n  "payload": {},\n  "depends_on_run_ids": ["${run.id}"]\n}`} />}
      >
        A run can be triggered to start only after other runs finish.
      </EmptyState>
    );
  }
  return (
    <div className="flex flex-col gap-3">
      <p className="font-medium">
        {data.unblocked ? "Unblocked: all dependencies are resolved." : "Blocked by unfinished runs."}
      </p>
      <ul className="card divide-y">
        {data.dependencies.map(({ run_id, status, state, condition, source }) => (
          <li key={run_id} className="flex min-h-10 flex-wrap items-center gap-x-4 gap-y-1 px-4 py-1.5">
            <StatusMark status={status ?? "skipped"} {...(status === null && { label: "Deleted" })} />
            <RefLink href={at(`runs/${run_id}`)} id={run_id} />
            <span className="text-ink-2">must have {condition}</span>
            <Badge>{source === "run" ? "set by trigger" : "set by job"}</Badge>
            <span className="ml-auto">
              <StatusMark status={STATES[state] ?? state} label={state} />
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

const STATES: Record<string, string> = { open: "waiting", satisfied: "completed", failed: "failed" };
