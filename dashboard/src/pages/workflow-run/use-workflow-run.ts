import type { EventTrigger } from "@millrace/contract/events/events";
import type { WorkflowGraph } from "@millrace/contract/workflows/workflow-graph";
import type { WorkflowRun } from "@millrace/contract/workflows/workflow-runs";
import type { WorkflowStep } from "@millrace/contract/workflows/workflow-steps";
import type { WorkflowVersion } from "@millrace/contract/workflows/workflows";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useRef } from "react";
import { useMay } from "../../api/me.ts";
import { type Page, useApi } from "../../api/use-api.ts";
import { useLive } from "../../live/use-live.ts";

export type GraphNode = WorkflowGraph["nodes"][number];

/** A workflow run: graph, waits and step definitions by step name. */
export type WorkflowRunView = {
  run: WorkflowRun;
  graph: WorkflowGraph;
  waits: ReadonlyMap<string, EventTrigger>;
  definitions: ReadonlyMap<string, WorkflowStep>;
};

const BATCH_MS = 300;
const ENDED: ReadonlySet<string> = new Set(["completed", "failed", "timed_out", "canceled"]);

export function hasEnded({ status }: { status: string }): boolean {
  return ENDED.has(status);
}

/** One workflow run, refetched after every decision. */
export function useWorkflowRun(id: string) {
  const path = `/v1/workflow-runs/${id}`;
  const run = useApi<WorkflowRun>(path);
  const graph = useApi<WorkflowGraph>(`${path}/graph`);
  const waitQuery = { workflow_run_id: id, limit: 100, order: "desc" };
  const waits = useApi<Page<EventTrigger>>("/v1/events", waitQuery, useMay("events:read"));
  const { workflow_id, version_id } = run.data ?? {};
  const version = useApi<WorkflowVersion>(
    `/v1/workflows/${workflow_id}/versions/${version_id}`,
    {},
    workflow_id !== undefined,
  );
  useInvalidation(id, path);
  const view = useMemo((): WorkflowRunView | undefined => {
    if (!run.data || !graph.data) return undefined;
    const ids = new Map(graph.data.nodes.map(({ event_trigger_id, step_ref }) => [event_trigger_id, step_ref]));
    return {
      run: run.data,
      graph: graph.data,
      waits: new Map(waits.data?.data.flatMap((wait) => [[ids.get(wait.id) ?? "", wait]])),
      definitions: new Map(version.data?.steps.map((step) => [step.step_ref, step])),
    };
  }, [run.data, graph.data, waits.data, version.data]);
  const refetch = () => void Promise.all([run.refetch(), graph.refetch()]);
  return { view, error: run.error ?? graph.error, refetch };
}

/** Throttled to one refetch per interval. */
function useInvalidation(id: string, path: string): void {
  const client = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const invalidate = () => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      void client.invalidateQueries({ predicate: ({ queryKey }) => belongsTo(id, path, queryKey) });
    }, BATCH_MS);
  };
  useLive([`workflow_run:${id}`], invalidate, invalidate);
}

function belongsTo(id: string, path: string, [, queryPath, query]: readonly unknown[]): boolean {
  if (String(queryPath).startsWith(path)) return true;
  return queryPath === "/v1/events" && (query as { workflow_run_id?: string } | undefined)?.workflow_run_id === id;
}
