/** The outcome of one dispatch. */
export type Outcome = { http_status?: number; duration_ms?: number } & (
  | { kind: "completed"; result_json: string }
  /** 202: the run continues by itself and reports through the SDK. */
  | { kind: "accepted" }
  | { kind: "failed"; error: RunError; retryable: boolean; retry_after_secs?: number }
  | { kind: "timed_out" }
  /** The instance that dispatched it is lost. */
  | { kind: "lease_lost" }
  /** An accepted run stopped sending heartbeats. */
  | { kind: "heartbeat_lost" }
  /** It was not dispatched after all, or this instance is stopping: it is queued again with its tries unchanged. */
  | { kind: "drained"; delay_secs?: number }
);

export type RunError = { code: string; message: string };

/** The newest lease of a run, as its holder knows it: the holder of an older one cannot settle. */
export type LeasedRun = {
  project_id: string;
  run_id: string;
  job_version_id: string;
  attempt: number;
  lease_token: string;
  tries_used: number;
  crash_count: number;
  max_attempts: number;
  slots: string[] | null;
};
