import type { WORKFLOW_RUN_EVENTS } from "@millrace/contract/webhook-subscriptions";

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
