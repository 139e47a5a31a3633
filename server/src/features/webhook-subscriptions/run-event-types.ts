import type { RUN_EVENTS } from "@millrace/contract/webhook-subscriptions";

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
