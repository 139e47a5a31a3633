import type { AlertRule } from "@millrace/contract/alerts/alert-rules";
import { useCallback } from "react";
import { shortId } from "../../../parts/id.tsx";
import { useEnvironments } from "../../../shell/place/use-places.ts";
import { useWorkflows } from "../../shared-workflows/use-workflows.ts";
import { useJobs } from "../../use-jobs.ts";

/** The name of a rule's target: "Send invoice in Production". */
export function useTargetName(): (rule: AlertRule) => string {
  const jobs = useJobs();
  const workflows = useWorkflows();
  const environments = useEnvironments();
  return useCallback(
    ({ job_id, workflow_id, queue, tag, environment_id }) => {
      const environment = environments.find(({ id }) => id === environment_id)?.name;
      const of =
        (job_id && (jobs?.get(job_id)?.name ?? `job ${shortId(job_id)}`)) ??
        (workflow_id && (workflows?.get(workflow_id)?.name ?? `workflow ${shortId(workflow_id)}`)) ??
        (queue !== null ? `queue ${queue}` : tag !== null ? `tag ${tag}` : "whole project");
      return environment_id === null ? of : `${of} in ${environment ?? shortId(environment_id)}`;
    },
    [jobs, workflows, environments],
  );
}
