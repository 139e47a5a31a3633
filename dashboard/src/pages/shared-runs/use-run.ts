import type { StreamChange } from "@millrace/contract/deliveries/streams";
import type { Run } from "@millrace/contract/runs/runs";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { apiKey, useApi } from "../../api/use-api.ts";
import { useLive } from "../../live/use-live.ts";
import { usePlace } from "../../shell/place/place.ts";
import { patchRun } from "./patch-run.ts";

const BATCH_MS = 250;

/** One run, updated by the stream. Its records are refetched when its status changes. */
export function useRun(id: string) {
  const { project } = usePlace();
  const client = useQueryClient();
  const path = `/v1/runs/${id}`;
  const read = useApi<Run>(path);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const invalidate = () => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      void client.invalidateQueries({ predicate: ({ queryKey }) => belongsTo(id, queryKey) });
    }, BATCH_MS);
  };
  const onChange = (change: StreamChange) => {
    client.setQueryData<Run>(apiKey(project, path), (before) => before && patchRun(before, change));
    if (change.type === "run.status") invalidate();
  };
  useLive([`run:${id}`], onChange, invalidate);
  return { ...read, run: read.data };
}

function belongsTo(id: string, [, path, query]: readonly unknown[]): boolean {
  if (String(path).startsWith(`/v1/runs/${id}`)) return true;
  return path === "/v1/events" && (query as { job_run_id?: string } | undefined)?.job_run_id === id;
}

export const ENDED: ReadonlySet<string> = new Set(["completed", "failed", "timed_out", "canceled"]);
