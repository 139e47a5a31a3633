/**
 * Observations of many runs from three sides: the callers, the endpoints and the database. Plain data: a test can write
 * it to a file, read it back and change it. Times are milliseconds since 1970; `committed_at` is the time of the
 * commit.
 */
export type History = Seen & {
  jobs: Job[];
  runs: Run[];
  transitions: Transition[];
  changes: Change[];
  leases: { project_id: string; run_id: string; attempt: number; lease: string; lease_until: number }[];
  workflow_runs: WorkflowRun[];
  decisions: Decision[];
  steps: Step[];
  items: { project_id: string; workflow_run_id: string; step_ref: string; run_id: string | null; status: string }[];
  waits: Wait[];
  deliveries: { project_id: string; id: string; event_type: string; source_id: string; status: string }[];
  audit: Audit[];
  audit_heads: { project_id: string; count: number; hash: string }[];
  batches: { project_id: string; id: string; kind: string; filter: { job_id?: string }; created_at: number }[];
  usage: {
    project_id: string;
    completed: number;
    failed: number;
    timed_out: number;
    canceled: number;
    dispatches: number;
  }[];
};

/** The harness's own observations. */
export type Seen = {
  /** When it was read, and whether everything had the time to end. */
  read_at: number;
  is_settled: boolean;
  calls: JournaledCall[];
  dispatches: JournaledDispatch[];
  reports: JournaledReport[];
  received_deliveries: JournaledDelivery[];
  faults: Fault[];
  timings: Timing[];
};

/** `status` 0: no response. `ids`: the objects it created or changed. */
export type JournaledCall = {
  project_id: string;
  method: string;
  path: string;
  url: string;
  idempotency_key: string | null;
  started_at: number;
  ended_at: number | null;
  status: number;
  request_id: string | null;
  ids: string[];
  in_flight: number;
};

export type JournaledDispatch = {
  run_id: string;
  attempt: number;
  lease: string;
  project_id: string;
  job_id: string;
  workflow_run_id: string | null;
  step_ref: string | null;
  item: number | null;
  received_at: number;
  responded_at: number | null;
  status: number | null;
};

/** A call of a running job to the service, at the time it was sent. */
export type JournaledReport = { run_id: string; attempt: number; verb: string; at: number; accepted: boolean };
export type JournaledDelivery = { id: string; body: unknown; received_at: number };

/** An instance died or froze while it held these attempts. */
export type Fault = { at: number; held: { run_id: string; attempt: number }[] };

/** How long the same work took in one project alone, and next to the work of another. */
export type Timing = { what: string; alone_ms: number[]; contended_ms: number[] };

export type Job = {
  project_id: string;
  id: string;
  revision: number;
  max_concurrency: number | null;
  max_concurrency_per_key: number | null;
  rate_limit_max: number | null;
  rate_limit_window_secs: number | null;
};

export type Run = {
  project_id: string;
  id: string;
  job_id: string;
  status: string;
  attempt: number;
  priority: number;
  concurrency_key: string | null;
  idempotency_key: string | null;
  parent_run_id: string | null;
  workflow_run_id: string | null;
  step_ref: string | null;
  step_generation: number | null;
  is_on_failure: boolean;
  result: unknown;
  scheduled_at: number;
  created_at: number;
};

export type Transition = {
  project_id: string;
  run_id: string;
  ordinal: number;
  from_status: string | null;
  to_status: string;
  cause: string;
  attempt: number;
  xid: string;
  at: number;
  committed_at: number;
};

/** One change of a row of the changelog; those of the inbox have the largest positions. */
export type Change = {
  project_id: string;
  position: number;
  kind: string;
  id: string;
  ordinal: number;
};

export type WorkflowRun = {
  project_id: string;
  id: string;
  workflow_id: string;
  status: string;
  error_count: number;
  idempotency_key: string | null;
  parent_workflow_run_id: string | null;
  definition: StepDefinition[];
};

type StepDefinition = { step_ref: string; type?: string; depends_on?: string[]; on_failure?: string };

export type Decision = {
  project_id: string;
  workflow_run_id: string;
  ordinal: number;
  step_ref: string | null;
  decision_type: string;
  detail: { status?: string } | null;
  xid: string;
  committed_at: number;
};

export type Step = {
  project_id: string;
  workflow_run_id: string;
  step_ref: string;
  type: string;
  status: string;
  cause: string | null;
  generation: number;
};

export type Wait = {
  project_id: string;
  id: string;
  wait_kind: string;
  status: string;
  workflow_run_id: string | null;
  step_ref: string | null;
  job_run_id: string | null;
  has_notify_url: boolean;
  /** The id of the last transaction that wrote it. */
  xid: string;
  expires_at: number;
  finished_at: number | null;
};

export type Audit = {
  project_id: string;
  id: string;
  action: string;
  resource_id: string;
  request_id: string | null;
  chain_no: number | null;
  hash: string | null;
  /** The whole event as sealed, without its number. */
  sealed: Record<string, unknown>;
};
