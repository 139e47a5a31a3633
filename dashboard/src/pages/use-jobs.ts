import type { Job } from "@millrace/contract/jobs";
import { useMemo } from "react";
import { useMay } from "../api/me.ts";
import { type Page, useApi } from "../api/use-api.ts";

/** The first hundred jobs by id, for their names in lists of runs. */
export function useJobs(): ReadonlyMap<string, Job> {
  const isAllowed = useMay("jobs:read");
  const { data } = useApi<Page<Job>>("/v1/jobs", { limit: 100 }, isAllowed);
  return useMemo(() => new Map(data?.data.map((job) => [job.id, job])), [data]);
}
