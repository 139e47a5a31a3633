import type { Actor } from "../../../platform/actor.ts";
import type { OutboxEntry } from "../../../platform/outbox/enqueue-outbox.ts";
import type { TraceContext } from "../../../platform/trace-context.ts";
import type { RunStatus, StepStatus } from "../../runs/states.ts";
import type { RunDecision, StepCause, StepDecision, StepError, StepState } from "../plan/definition.ts";
import type { WorkflowVersion } from "../start/workflow-version.ts";

/** A workflow run under its lock: no other transaction changes it or its steps meanwhile. */
export type LockedWorkflowRun = {
  project_id: string;
  id: string;
  workflow_id: string;
  version_id: string;
  environment_id: string;
  status: string;
  transition_count: number;
  /** A large one is read when a step is about to be started: a map is progressed thousands of times. */
  has_payload: boolean;
  payload: unknown;
  tags: Record<string, string>;
  metadata: Record<string, unknown>;
  decisions: number;
  holds_slot: boolean;
  /** The root of its chain of workflow runs; null: itself. */
  root_workflow_run_id: string | null;
  depth: number;
  traceparent: TraceContext | null;
  /** How it ends after its compensations. Null: it is not compensating. */
  planned_end: PlannedEnd | null;
  /** An ancestor was canceled or failed: it starts nothing more, and will be ended. */
  stopped: "cancel" | null;
  /** It is paused because its parent is, and resumes with it. */
  pause_inherited: boolean;
};

type DecisionType =
  | "start"
  | "condition"
  | "skip"
  | "fail"
  | "hold"
  | "wait"
  | "event"
  | "complete"
  | "emit"
  | "cancel"
  | "retry"
  | "approve"
  | "reject"
  | "pause"
  | "resume"
  | "migrate"
  | "compensate"
  | "end";

export type NewDecision = {
  step_ref: string | null;
  decision_type: DecisionType;
  reason: string;
  detail?: unknown;
  /** Absent: the service itself. */
  by?: Actor;
};

/** A step while it is planned. Differences from `was` are written at the end. */
export type LoadedStep = StepState & {
  id: string;
  generation: number;
  was: StepStatus;
  cause_ref: string | null;
  run_id: string | null;
  event_trigger_id: string | null;
  child_workflow_run_id: string | null;
  /** The message of an approval that begins to wait in this pass, if it has one. */
  message?: string;
  /** Its rendered input if it starts in this pass and names a compensation. */
  input?: unknown;
  /** The ordinal of the decision by which it completed, if it names a compensation. */
  completion: number | null;
  compensation: LoadedCompensation | null;
  /** For an interrupted map: some of its items completed. Loaded when the run compensates. */
  hasCompletedItems?: boolean;
  /** The result of its run, if it ran and the run has ended; for a completed step, that of its compensation. */
  ended: { status: RunStatus; result: unknown; error: StepError | null } | null;
};

/** A workflow run while it is progressed: changed in memory, then written in one statement. */
export type LoadedRun = {
  run: LockedWorkflowRun;
  version: WorkflowVersion;
  /** It is being created: nothing of it is in the database yet. */
  isNew: boolean;
  steps: Map<string, LoadedStep>;
  /** Map steps that run, or did at the beginning. */
  maps: Map<string, LoadedMap>;
  outputs: Map<string, unknown>;
  /** Outputs produced in this pass that will be written. */
  fresh: Set<string>;
  decisions: NewDecision[];
  outbox: OutboxEntry[];
  end: Exclude<RunDecision, { kind: "continue" }> | null;
  /** Waits that need the lock of their key first. */
  deferred: Map<string, string>;
  /** The budget has reserved room for a run of it in this pass. */
  isFunded: boolean;
};

export type StepStart = Extract<StepDecision, { kind: "start" }>;
/** A step of a loaded run that the planner starts. */
export type PlannedStart = { loaded: LoadedRun; start: StepStart };

/** Before anything is planned. */
export function emptyLoadedRun(run: LockedWorkflowRun, version: WorkflowVersion, isNew: boolean): LoadedRun {
  return {
    run,
    version,
    isNew,
    steps: new Map(),
    maps: new Map(),
    outputs: new Map(),
    fresh: new Set(),
    decisions: [],
    outbox: [],
    end: null,
    deferred: new Map(),
    isFunded: false,
  };
}

export function addDecision(
  loaded: LoadedRun,
  decision_type: DecisionType,
  step_ref: string | null,
  reason: string,
): void {
  loaded.decisions.push({ step_ref, decision_type, reason });
}

export function failStep(loaded: LoadedRun, step_ref: string, error: StepError, reason = error.message): void {
  const step = stepOf(loaded, step_ref);
  step.status = "failed";
  step.error = error;
  addDecision(loaded, "fail", step_ref, reason);
}

/** Canceled with its workflow run, which ends for this reason. */
export function cancelStep(loaded: LoadedRun, step_ref: string, { cause, cause_ref, reason }: PlannedEnd): void {
  const step = stepOf(loaded, step_ref);
  step.status = "canceled";
  step.cause = cause;
  step.cause_ref = cause_ref;
  addDecision(loaded, "cancel", step_ref, reason);
}

export function completeStep(loaded: LoadedRun, step_ref: string, output: unknown, reason: string): void {
  const step = stepOf(loaded, step_ref);
  step.status = "completed";
  loaded.outputs.set(step_ref, output ?? null);
  loaded.fresh.add(step_ref);
  addDecision(loaded, "complete", step_ref, reason);
}

export function stepOf(loaded: LoadedRun, step_ref: string): LoadedStep {
  const step = loaded.steps.get(step_ref);
  if (!step) throw new Error(`the workflow run ${loaded.run.id} has no step ${step_ref}`);
  return step;
}

/** The end of a workflow run that compensates first, as decided before. */
export type PlannedEnd = {
  status: "failed" | "timed_out" | "canceled";
  error: StepError | null;
  /** The reason for which its open steps are canceled, and the step that caused it. */
  cause: StepCause | null;
  cause_ref: string | null;
  reason: string;
  /** Who ended it. Absent: the service itself. */
  by?: Actor;
};

export type CompensationStatus = "running" | "completed" | "failed";

/** The compensation of a step while its run is progressed. Differences from `was` are written at the end. */
type LoadedCompensation = {
  status: CompensationStatus;
  run_id: string | null;
  error: StepError | null;
  was: CompensationStatus | null;
};

/** How a workflow run ends. Only a run that did not complete has a reason to cancel its open steps. */
export type WorkflowRunEnd = Omit<PlannedEnd, "status"> & {
  run: LockedWorkflowRun;
  status: "completed" | PlannedEnd["status"];
  error_count: number;
};

/** A map step while its workflow run is progressed: written with its items, under the lock of the run. */
export type LoadedMap = {
  /** What the payload of its items reads in addition to the item. */
  scope: Record<string, unknown>;
  total: number;
  pending: number;
  running: number;
  failed: number;
  /** No item before it is pending. */
  next_index: number;
};
