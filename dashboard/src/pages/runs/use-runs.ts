import type { StreamChange } from "@millrace/contract/deliveries/streams";
import type { Run } from "@millrace/contract/runs/runs";
import { useCallback, useMemo } from "react";
import { useApiList } from "../../api/use-api.ts";
import { useLiveRows } from "../../live/use-live-rows.ts";
import { boundsOf } from "../../parts/filter/time-range.tsx";
import { usePlace } from "../../shell/place/place.ts";
import { useIsHere } from "../../shell/place/use-places.ts";
import { mayEnter, patchRun } from "../shared-runs/patch-run.ts";
import { useJobs } from "../use-jobs.ts";

export type RunFilter = { q?: string; environment_id?: string; from?: string; to?: string };

/** The filter of the URL as parameters of `GET /v1/runs` and the bulk endpoints. */
export function useRunFilter(q: string, since: string | undefined): RunFilter {
  const { environmentFilter } = usePlace();
  return useMemo(() => {
    const bounds = since?.includes("~") ? boundsOf(since) : undefined;
    const text = [q, since && !bounds ? `since:${since}` : ""].filter(Boolean).join(" ");
    return {
      ...(text && { q: text }),
      ...(environmentFilter && { environment_id: environmentFilter }),
      ...(bounds && { from: bounds.from.toISOString(), to: bounds.to.toISOString() }),
    };
  }, [q, since, environmentFilter]);
}

/** Runs that match a filter, updated by the stream. */
export function useRuns(filter: RunFilter, isPaused: boolean) {
  const list = useApiList<Run>("/v1/runs", filter);
  const isHere = useIsHere();
  const jobs = useJobs();
  const isNew = useCallback(
    (change: StreamChange) =>
      isHere(change) && mayEnter(filter.q ?? "", change, jobs?.get(String(change.object.job_id))?.slug),
    [filter.q, isHere, jobs],
  );
  const live = useLiveRows<Run>({
    topics: ["runs"],
    path: "/v1/runs",
    idOf,
    patch: patchRun,
    isNew,
    isPaused,
  });
  return { ...list, ...live };
}

function idOf({ id }: Run): string {
  return id;
}
