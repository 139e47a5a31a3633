import type { ClaimedRun } from "../claim/claimed-run.ts";

/**
 * Builds the JSON of a dispatch as text: payload, metadata, tags and state are passed through as the database returned
 * them. `checkpoint` is the payload of the event that resumed the run, else the last state it saved.
 */
export function dispatchBody(run: ClaimedRun, env: string, waits = "[]"): string {
  const { project_id, run_id, job_id, job_slug, job_version_id, attempt, max_attempts, tries_used } = run;
  const workflow =
    run.workflow_run_id === null
      ? ""
      : `,"workflow_run_id":"${run.workflow_run_id}","step_ref":${JSON.stringify(run.step_ref)},"parent_outputs":${run.parent_outputs ?? "{}"}`;
  return (
    `{"run_id":"${run_id}","job_id":"${job_id}","job_slug":"${job_slug}","job_version_id":"${job_version_id}",` +
    `"project_id":"${project_id}","attempt":${attempt},"max_attempts":${max_attempts},"tries_used":${tries_used},` +
    `"payload":${run.payload},"metadata":${run.metadata},"tags":${run.tags},` +
    `"checkpoint":${run.checkpoint ?? run.state ?? "null"},"state":${run.state ?? "null"},"waits":${waits},"env":${env},` +
    `"scheduled_at":"${run.scheduled_at}","deadline":"${run.deadline}"${workflow}}`
  );
}
