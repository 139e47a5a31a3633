import type { Job } from "@millrace/contract/jobs/jobs";

type WrittenByService =
  | "id"
  | "project_id"
  | "version"
  | "version_id"
  | "paused_at"
  | "created_by"
  | "created_by_id"
  | "created_at"
  | "updated_at";

/** All settings of a job that a caller controls. */
export type JobSettings = Omit<Job, WrittenByService>;
export type JobSetting = keyof JobSettings;

/** The behavior of a run: job versions contain these settings, and changing one creates a new version. */
export const BEHAVIOR: readonly JobSetting[] = [
  "delivery",
  "endpoint_url",
  "headers",
  "timeout_secs",
  "heartbeat_timeout_secs",
  "unreachable_timeout_secs",
  "max_attempts",
  "retry_strategy",
  "retry_delays_secs",
  "default_run_metadata",
  "payload_schema",
  "result_schema",
  "max_cost_microusd",
  "on_failure_job_id",
];

/** Where runs are sent: changing one sends their data to another receiver. */
export const DESTINATIONS: readonly JobSetting[] = ["delivery", "endpoint_url", "on_failure_job_id"];

/** Limits that runs may be blocked on. */
export const LIMITS: readonly JobSetting[] = [
  "max_concurrency",
  "max_concurrency_per_key",
  "rate_limit_max",
  "rate_limit_window_secs",
  "rate_limit_keys",
  "queue",
];

export const TIMES: readonly JobSetting[] = ["cron", "timezone", "cron_overlap_policy"];
