import type { Job } from "@millrace/contract/jobs/jobs";
import { useMay } from "../api/me.ts";
import { useAll } from "../api/use-all.ts";

/** Jobs by id, to show their names in lists of runs. */
export function useJobs(): ReadonlyMap<string, Job> | undefined {
  return useAll<Job>("/v1/jobs", useMay("jobs:read"));
}
