import type { StreamChange } from "@millrace/contract/deliveries/streams";
import type { WorkflowRun } from "@millrace/contract/workflows/workflow-runs";
import { useCallback, useMemo } from "react";
import { useApiList } from "../../api/use-api.ts";
import { useLiveRows } from "../../live/use-live-rows.ts";
import { boundsOf } from "../../parts/filter/time-range.tsx";
import { usePlace } from "../../shell/place/place.ts";
import { useIsHere } from "../../shell/place/use-places.ts";

export type WorkflowRunFilter = {
  status?: string;
  workflow_id?: string;
  tag?: string;
  environment_id?: string;
  from?: string;
  to?: string;
};

type FilterParams = {
  status?: string | undefined;
  workflow?: string | undefined;
  tag?: string | undefined;
  since?: string | undefined;
};

/** The filter of the URL as parameters of `GET /v1/workflow-runs`. */
export function useWorkflowRunFilter({ status, workflow, tag, since }: FilterParams): WorkflowRunFilter {
  const { environmentFilter } = usePlace();
  return useMemo(() => {
    const bounds = since === undefined ? undefined : boundsOf(since);
    return {
      ...(status && { status }),
      ...(workflow && { workflow_id: workflow }),
      ...(tag && { tag }),
      ...(environmentFilter && { environment_id: environmentFilter }),
      ...(bounds && { from: bounds.from.toISOString() }),
      ...(bounds && since?.includes("~") && { to: bounds.to.toISOString() }),
    };
  }, [status, workflow, tag, since, environmentFilter]);
}

const ENDED = new Set(["completed", "failed", "timed_out", "canceled"]);

/** Workflow runs that match a filter, updated by the stream. */
export function useWorkflowRuns(filter: WorkflowRunFilter, isPaused: boolean) {
  const list = useApiList<WorkflowRun>("/v1/workflow-runs", filter);
  const newest = list.rows?.[0]?.id;
  const isHere = useIsHere();
  const isNew = useCallback(
    (change: StreamChange) => {
      const { id, object } = change;
      if (!isHere(change)) return false;
      if (filter.workflow_id !== undefined && object.workflow_id !== filter.workflow_id) return false;
      if (filter.status !== undefined) return filter.status.split(",").includes(String(object.status));
      // Ids increase with time: an id below the newest one shown is not new.
      return newest === undefined || id > newest;
    },
    [filter.workflow_id, filter.status, newest, isHere],
  );
  const live = useLiveRows<WorkflowRun>({
    topics: ["workflow_runs"],
    path: "/v1/workflow-runs",
    idOf,
    patch: patchWorkflowRun,
    isNew,
    isPaused,
  });
  return { ...list, ...live };
}

function idOf({ id }: WorkflowRun): string {
  return id;
}

function patchWorkflowRun(run: WorkflowRun, { at, object }: StreamChange): WorkflowRun {
  const [status, phase] = [object.status as WorkflowRun["status"], object.phase as WorkflowRun["phase"]];
  if (status === run.status && phase === run.phase) return run;
  return {
    ...run,
    status,
    phase,
    version: Number(object.version ?? run.version),
    started_at: run.started_at ?? (status === "running" ? at : null),
    finished_at: ENDED.has(status) ? at : null,
  };
}
