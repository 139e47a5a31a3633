import type { TRIGGER_TYPES } from "@millrace/contract/runs/runs";
import type { TraceContext } from "../../../platform/trace-context.ts";

/** A workflow run that is ready to be created: every default applied, every check passed. */
export type NewWorkflowRun = {
  id: string;
  project_id: string;
  workflow_id: string;
  /** The workflow's revision when this was prepared. An older one is not started. */
  workflow_revision: number;
  /** The workflow limits its concurrent runs: it is created pending, and waits for a slot. */
  is_limited: boolean;
  version_id: string;
  version: number;
  /** The canary that chose the version; null: none. */
  canary_id: string | null;
  environment_id: string;
  payload: unknown;
  tags: Record<string, string>;
  metadata: Record<string, unknown>;
  routing_key: string | null;
  idempotency_key: string | null;
  /** SHA-256 of the request, in hex. */
  body_hash: string | null;
  trigger_type: (typeof TRIGGER_TYPES)[number];
  created_by: string;
  /** Null: the service itself, or the internal secret. */
  created_by_id: string | null;
  schedule_id: string | null;
  batch_id: string | null;
  /** The step that starts it, `ref[index]` for an item of a map. Null: no workflow run does. */
  parent_workflow_run_id: string | null;
  parent_step_ref: string | null;
  parent_generation: number | null;
  root_workflow_run_id: string | null;
  depth: number;
  /** The trace context of its caller or of the step above it. Null: its trace begins with it. */
  traceparent: TraceContext | null;
  scheduled_at: string | null;
  delay_secs: number | null;
  /** The events that cancel it. Absent: its workflow names none. */
  cancel_keys?: string[];
};

/** What the database returned for a created run. */
export type CreatedWorkflowRun = {
  id: string;
  status: "pending" | "running";
  timeout_secs: number | null;
  scheduled_at: string;
  started_at: string | null;
  deadline: string | null;
  created_at: string;
};

export type WorkflowTriggerResult =
  /** `created` null: it has ended already, since all its steps ended at once. */
  | { kind: "created"; workflow_run_id: string; created: CreatedWorkflowRun | null }
  /** A repeated request: the existing run is returned. */
  | { kind: "existing"; workflow_run_id: string }
  /** The idempotency key was used for another request. */
  | { kind: "conflict" }
  /** The workflow has changed since the run was prepared: prepare it again. */
  | { kind: "stale" };
