/** The counts of each series, in the order of `rollups.counts`: add new ones at the end only. */
export const COUNTS = {
  runs: ["created", "completed", "failed", "timed_out", "canceled", "retried", "duration_ms"],
  workflows: ["started", "completed", "failed", "timed_out", "canceled", "retried", "duration_ms"],
  errors: ["runs", "attempts"],
  events: ["created", "received", "timed_out", "canceled", "dispatched", "rejected"],
  webhooks: ["attempts", "delivered", "refused", "to_be_retried", "lost", "duration_ms"],
} as const;

export type Series = keyof typeof COUNTS;
export type CountName<S extends Series> = (typeof COUNTS)[S][number];
export type Counts<S extends Series> = Record<CountName<S>, number>;

/** The splits of each series. Rows of `all`, and of splits without a subject, have the nil id as subject. */
export const SPLITS = {
  runs: ["all", "job", "trigger", "job_trigger", "job_version", "wait", "job_wait"],
  workflows: ["all", "workflow", "workflow_version"],
  errors: ["group"],
  events: ["all", "job"],
  webhooks: ["endpoint"],
} as const satisfies Record<Series, readonly string[]>;
export type Split<S extends Series> = (typeof SPLITS)[S][number];

/** Stands for all subjects, or for no environment. */
export const NIL_ID = "00000000-0000-0000-0000-000000000000";

/** Bucket lengths in seconds. `ever` is one bucket of all time, starting at the epoch. */
export const GRAINS = { minute: 60, hour: 3_600, day: 86_400, ever: 0 } as const;

/** How long buckets are kept, in days; days are kept forever. */
export const MINUTES_KEPT_DAYS = 8;
export const HOURS_KEPT_DAYS = 400;

/** The number of open runs is computed from everything that ever began and ended. */
export const KEPT_FOR_EVER: ReadonlySet<string> = new Set(["runs all", "runs job"]);
