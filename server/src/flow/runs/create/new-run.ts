import type { TRIGGER_TYPES } from "@millrace/contract/runs/runs";
import type { TraceContext } from "../../../platform/trace-context.ts";
import type { Budget } from "../../budget/lock-budgets.ts";
import type { WorkerLease } from "../claim/lease-runs.ts";

/** A run that is ready to be created: every default applied, every template rendered, every check passed. */
export type NewRun = {
  id: string;
  project_id: string;
  job_id: string;
  job_slug: string;
  job_version_id: string;
  /** The job's revision when this was prepared. An older one is not enqueued. */
  job_revision: number;
  environment_id: string;
  host: string;
  queue: string;
  is_job_paused: boolean;
  is_job_limited: boolean;
  /** The `max_concurrency` of its job, if that is its only limit: the run can take its slot when it is created. */
  sole_max_concurrency: number | null;
  max_attempts: number;
  timeout_secs: number;
  heartbeat_timeout_secs: number;
  priority: number;
  payload: unknown;
  metadata: Record<string, unknown>;
  tags: Record<string, string>;
  concurrency_key: string | null;
  idempotency_key: string | null;
  /** SHA-256 of the request, in hex: distinguishes a repeated request from another under the same key. */
  body_hash: string | null;
  /** SHA-256 of the canonical payload, in hex, if the job deduplicates. */
  dedup_hash: string | null;
  dedup_window_secs: number | null;
  /** Triggers that share it are merged into one run while it waits. */
  debounce_key: string | null;
  debounce_window_secs: number | null;
  run_ttl_secs: number | null;
  batch_id: string | null;
  created_by: string;
  /** Null: the service itself, or the internal secret. */
  created_by_id: string | null;
  trigger_type: (typeof TRIGGER_TYPES)[number];
  parent_run_id: string | null;
  spawn_depth: number;
  replay_of: string | null;
  schedule_id: string | null;
  workflow_run_id: string | null;
  step_ref: string | null;
  step_generation: number | null;
  /** The outputs of the parent steps. Null outside a workflow. */
  parent_outputs: Record<string, unknown> | null;
  /** The event trigger that resumes its parent when this run has ended. */
  awaited_by: string | null;
  /** Its project has a blocking budget: its expected cost is reserved before it is created. */
  is_budgeted: boolean;
  estimated_cost_microusd: number;
  /**
   * Decided under the lock of the budget, right before it is created: the reserved amount, or that there was no room.
   */
  reserved_microusd?: number | undefined;
  is_over_budget?: true | undefined;
  scheduled_at: string | null;
  delay_secs: number | null;
  /** Runs it depends on by id, and jobs on whose newest active run it depends. Absent: none. */
  waits_on?: WaitsOn | undefined;
  /** How many of those have not ended: read under their locks, right before it is created. */
  open_dependencies?: number;
  /** The trace context of its caller, parent or step. Null: it follows from the other columns. */
  traceparent: TraceContext | null;
  /** The events that cancel it. Absent: its job names none. */
  cancel_keys?: string[] | undefined;
};

export type WaitsOn = { run_ids: string[]; jobs: JobDependency[] };
export type JobDependency = { job_id: string; condition: "completed" | "ended" };

/** `deadline`: the run was created running, under the requested lease. */
export type EnqueuedRun = { id: string; created_at: string; scheduled_at: string; deadline: string | null };
/** The created runs. Missing ones: the job has changed since the run was prepared, was deleted, or got a budget. */
export type Enqueued = Map<string, EnqueuedRun>;

export type TriggerResult =
  | { kind: "created"; run: NewRun; created: EnqueuedRun }
  /** A repeated request or a duplicate: the existing run is returned. */
  | { kind: "existing"; run_id: string }
  /** The idempotency key was used for another request. */
  | { kind: "conflict" }
  | OverBudget
  /** The job has changed since the run was prepared: prepare it again. */
  | { kind: "stale" };

/** The run exceeds the project's budget: the budget's state, and what the run would have reserved. */
export type OverBudget = { kind: "over_budget"; budget: Budget; estimate: number };

/** The results of a batch so far. */
export type TriggerResults = Map<NewRun, TriggerResult>;

/** Runs created under a lease: of this instance, or, in lanes of workers, of the poll that they are handed to. */
export type Starts = {
  lease_token: string;
  ids: Set<string>;
  /**
   * How they get the slots of their limits. `later`: the caller takes them with a later statement. `locked`: the counters
   * are locked, so those that get no slot wait for one from the beginning.
   */
  slots?: "later" | "locked";
  /** With one of its runs as `first_id`, the creation fails (`isClaimedElsewhere`) if another instance claims for the poll. */
  worker?: WorkerLease & { project_id: string; first_id: string | null };
};
