import type { RUN_EVENTS, WORKFLOW_RUN_EVENTS } from "@millrace/contract/deliveries/webhook-subscriptions";

type RunEventType = (typeof RUN_EVENTS)[number];
export type Transition = {
  project_id: string;
  run_id: string;
  ordinal: number;
  from_status: string | null;
  to_status: string;
  cause: string;
  attempt: number;
  detail: unknown;
  created_at: string;
};

/**
 * The event types of a run's transition. A final failure has two: its own, and the new dead letter, even if it has left
 * the dead-letter queue by the time the event is published.
 */
export function runEventTypes({
  from_status,
  to_status,
}: Pick<Transition, "from_status" | "to_status">): RunEventType[] {
  switch (to_status) {
    case "pending":
      if (from_status === null) return ["run.created"];
      return [from_status === "running" ? "run.retrying" : "run.resumed"];
    case "running":
      return ["run.started"];
    case "failed":
    case "timed_out":
      return [`run.${to_status}`, "run.dead_lettered"];
    case "waiting":
    case "paused":
    case "completed":
    case "canceled":
      return [`run.${to_status}`];
    default:
      return [];
  }
}

type WorkflowEventType = (typeof WORKFLOW_RUN_EVENTS)[number];
export type Decision = {
  project_id: string;
  workflow_run_id: string;
  ordinal: number;
  step_ref: string | null;
  decision_type: string;
  reason: string;
  detail: unknown;
  created_at: string;
  position: number;
};

const ENDS = [
  "workflow_run.completed",
  "workflow_run.failed",
  "workflow_run.timed_out",
  "workflow_run.canceled",
] as const;

/** The possible event types of a decision. The decision itself says which end it was. */
export function workflowEventTypes({ decision_type, step_ref }: Decision): readonly WorkflowEventType[] {
  if (decision_type === "retry") return ["workflow_run.retried"];
  if (step_ref !== null) return ["workflow_run.started"];
  if (decision_type === "pause") return ["workflow_run.paused"];
  if (decision_type === "resume") return ["workflow_run.resumed"];
  return decision_type === "end" ? ENDS : [];
}

type RunContext = {
  /** The run's current status: the fallback for old decisions whose detail has no end status. */
  status: string;
  /** The ordinal of the decision that started the run. */
  started: number | undefined;
};

/** The event type of a decision. Undefined: no event. */
export function workflowEventType(decision: Decision, run: RunContext): WorkflowEventType | undefined {
  const [type] = workflowEventTypes(decision);
  if (type === "workflow_run.started") return decision.ordinal === run.started ? type : undefined;
  if (decision.decision_type !== "end") return type;
  const status = (decision.detail as { status?: string } | null)?.status ?? run.status;
  return ENDS.find((end) => end === `workflow_run.${status}`);
}
