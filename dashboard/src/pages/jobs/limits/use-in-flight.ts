import type { Run } from "@millrace/contract/runs/runs";
import { useMemo } from "react";
import { useMay } from "../../../api/me.ts";
import { type Page, useApi } from "../../../api/use-api.ts";
import { usePlace } from "../../../shell/place/place.ts";

export type InFlight = { byJob: ReadonlyMap<string, number>; isAll: boolean } | undefined;

/** Running runs per job. Above a hundred in the project the counts are lower bounds. */
export function useInFlight(): InFlight {
  const { environmentFilter } = usePlace();
  const query = { status: "running", limit: 100, environment_id: environmentFilter };
  const { data } = useApi<Page<Run>>("/v1/runs", query, useMay("runs:read"));
  return useMemo(() => {
    if (!data) return undefined;
    const byJob = new Map<string, number>();
    for (const { job_id } of data.data) byJob.set(job_id, (byJob.get(job_id) ?? 0) + 1);
    return { byJob, isAll: !data.has_more };
  }, [data]);
}
