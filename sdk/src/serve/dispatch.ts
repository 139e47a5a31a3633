import type { RunInfo } from "./run-context.ts";

/** An ended wait of the run. */
type EndedWait = { event_key: string; ordinal: number; status: string; payload: unknown };

/** The body of a dispatch. */
export type Dispatch = {
  run_id: string;
  job_id: string;
  job_slug: string;
  project_id: string;
  attempt: number;
  max_attempts: number;
  tries_used: number;
  payload: unknown;
  metadata: Record<string, unknown>;
  tags: Record<string, string>;
  state: unknown;
  waits: EndedWait[];
  env: Record<string, unknown>;
  scheduled_at: string;
  deadline: string;
  workflow_run_id?: string;
  step_ref?: string;
  parent_outputs?: Record<string, unknown>;
};

export function runInfoOf(dispatch: Dispatch): RunInfo {
  return {
    id: dispatch.run_id,
    jobId: dispatch.job_id,
    jobSlug: dispatch.job_slug,
    projectId: dispatch.project_id,
    attempt: dispatch.attempt,
    maxAttempts: dispatch.max_attempts,
    triesUsed: dispatch.tries_used,
    metadata: dispatch.metadata,
    tags: dispatch.tags,
    scheduledAt: new Date(dispatch.scheduled_at),
    deadline: new Date(dispatch.deadline),
    workflowRunId: dispatch.workflow_run_id,
    stepRef: dispatch.step_ref,
  };
}
