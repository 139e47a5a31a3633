export const ALERT_KINDS = [
  "failure_rate",
  "no_success",
  "oldest_queued",
  "queue_depth",
  "dead_letters",
  "budget",
  "endpoint_down",
  "schedule_missed",
  "slo_burn_rate",
  "new_errors",
] as const;
export type AlertKind = (typeof ALERT_KINDS)[number];

export const ALERT_TARGETS = ["environment_id", "job_id", "workflow_id", "queue", "tag"] as const;
export type AlertTarget = (typeof ALERT_TARGETS)[number];

const JOBS: AlertTarget[] = ["environment_id", "job_id", "queue", "tag"];
const RUNS: AlertTarget[] = [...JOBS, "workflow_id"];
const WINDOW_SECS = 300;
const HOUR_SECS = 3_600;

type KindRules = { threshold: number; window_secs: number; targets: readonly AlertTarget[] };

/** The defaults of each kind, and its possible targets. */
export const ALERT_KIND_RULES: Record<AlertKind, KindRules> = {
  failure_rate: { threshold: 0.1, window_secs: WINDOW_SECS, targets: RUNS },
  no_success: { threshold: 0, window_secs: HOUR_SECS, targets: RUNS },
  oldest_queued: { threshold: 300, window_secs: WINDOW_SECS, targets: JOBS },
  queue_depth: { threshold: 1_000, window_secs: WINDOW_SECS, targets: JOBS },
  dead_letters: { threshold: 0, window_secs: WINDOW_SECS, targets: JOBS },
  budget: { threshold: 80, window_secs: WINDOW_SECS, targets: [] },
  endpoint_down: { threshold: 0, window_secs: WINDOW_SECS, targets: ["job_id", "queue", "tag"] },
  schedule_missed: { threshold: 120, window_secs: HOUR_SECS, targets: ["job_id", "workflow_id"] },
  slo_burn_rate: { threshold: 14.4, window_secs: HOUR_SECS, targets: RUNS },
  new_errors: { threshold: 0, window_secs: HOUR_SECS, targets: JOBS },
};
export const DEFAULT_OBJECTIVE = 0.99;
export const DEFAULT_MIN_RUNS = 10;
