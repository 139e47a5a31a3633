/**
 * A run under a lease of this instance. JSON stays the text the database returned: it is forwarded without being
 * parsed.
 */
export type ClaimedRun = {
  project_id: string;
  run_id: string;
  job_id: string;
  job_slug: string;
  job_version_id: string;
  environment_id: string;
  host: string;
  attempt: number;
  tries_used: number;
  crash_count: number;
  max_attempts: number;
  timeout_secs: number;
  payload: string;
  metadata: string;
  tags: string;
  checkpoint: string | null;
  state: string | null;
  scheduled_at: string;
  deadline: string;
  workflow_run_id: string | null;
  step_ref: string | null;
  parent_outputs: string | null;
  /** How many waits it has opened so far. */
  waits: number;
  lease_token: string;
  /** The concurrency counters in which it holds a slot; null for most. */
  slots: string[] | null;
};

export const LEASE_SECS = 30;
