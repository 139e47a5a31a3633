import type { RunDependencyStatus } from "@millrace/contract/runs/run-dependencies";
import type { Run } from "@millrace/contract/runs/runs";
import { useApi } from "../../api/use-api.ts";
import { useFirstLoadDone } from "../../api/use-first-load-done.ts";
import type { Traced } from "../shared-trace/trace-items.ts";

/** The number of items of each tab that may be empty. Undefined: not known yet. */
export function useTabCounts(run: Run, trace: Traced | undefined): Record<string, number | undefined> {
  const isReady = useFirstLoadDone();
  const dependencies = useApi<RunDependencyStatus>(`/v1/runs/${run.id}/dependency-status`, {}, isReady).data;
  const count = (kind: string) =>
    trace?.items.filter((item) => item.kind === kind && isOwn(trace, item.id, run)).length;
  const related = [run.parent_run_id, run.replay_of, run.replayed_by].filter((id) => id !== null).length;
  const runs = count("run");
  return {
    logs: count("log"),
    tools: count("tool_call"),
    checkpoints: count("checkpoint"),
    related: runs === undefined ? undefined : runs - 1 + related,
    dependencies: dependencies?.dependencies.length,
  };
}

/** Of the run itself, not of a child whose trace was expanded. */
function isOwn({ spanOf }: Traced, id: string, run: Run): boolean {
  const span = spanOf.get(id);
  return span?.kind === "run" || (span?.parent_id?.startsWith(run.id) ?? false);
}
