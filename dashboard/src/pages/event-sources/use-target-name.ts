import { useCallback } from "react";
import { useWorkflows } from "../shared-workflows/use-workflows.ts";
import { useJobs } from "../use-jobs.ts";

/** The name of the job or workflow that is started; its id until names are loaded. */
export function useTargetName() {
  const [jobs, workflows] = [useJobs(), useWorkflows()];
  return useCallback(
    ({ job_id, workflow_id }: { job_id: string | null; workflow_id: string | null }): string =>
      (job_id ? jobs?.get(job_id)?.name : workflows?.get(workflow_id ?? "")?.name) ?? job_id ?? workflow_id ?? "",
    [jobs, workflows],
  );
}
