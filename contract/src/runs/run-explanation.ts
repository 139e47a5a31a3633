import Type, { type Static } from "typebox";
import { Id, Timestamp } from "../schema/fields.ts";
import { nullable, oneOf, responseObject } from "../schema/schema.ts";
import { RUN_STATUSES } from "./runs.ts";

const BLOCKER_CODES = [
  "not_due",
  "backoff",
  "dependency",
  "paused_run",
  "pause_requested",
  "paused_job",
  "paused_queue",
  "paused_workflow_run",
  "canceling",
  "concurrency_key",
  "job_concurrency",
  "queue_concurrency",
  "rate_limit",
  "queue_rate_limit",
  "budget",
  "circuit",
  "waiting_for_event",
  "sleeping",
  "waiting_for_child",
  "no_engine",
  "no_worker",
  "not_queued",
  "releasing",
] as const;

const RemedyRequest = Type.Object(
  {
    method: oneOf(["POST", "PATCH", "PUT", "DELETE"]),
    path: Type.String({ description: "Complete path with all values encoded." }),
    body: Type.Optional(Type.Unknown()),
  },
  { description: "A request that removes this blocker." },
);

const Blocker = Type.Object({
  code: oneOf(BLOCKER_CODES, "Machine-readable reason why the run is blocked."),
  message: Type.String({ description: "Human-readable reason why the run is blocked." }),
  since: nullable(Timestamp),
  until: nullable(Timestamp),
  evidence: Type.Record(Type.String(), Type.Unknown(), {
    description: "State of the queue and its counters that shows the cause.",
  }),
  remedy: Type.Object({ message: Type.String(), request: Type.Optional(RemedyRequest) }),
});

const QueuePosition = Type.Object({
  host: Type.String(),
  ahead: Type.Integer({ description: "Claimable runs ahead of it in its lane, at most 10,000." }),
  engines_alive: Type.Integer(),
  dispatch_slots: nullable(Type.Integer({ description: "Of the responding instance. Null if it runs no engine." })),
  dispatch_busy: nullable(Type.Integer()),
});

const Running = Type.Object({
  since: Timestamp,
  attempt: Type.Integer(),
  instance_id: nullable(Id),
  worker_id: nullable(Type.String({ description: "The worker that claimed the run. Null for `delivery: push`." })),
  accepted_at: nullable(Timestamp),
  lease_until: Timestamp,
  deadline: Timestamp,
  last_heartbeat_at: nullable(Timestamp),
});

const Step = Type.Object({
  workflow_run_id: Id,
  step_ref: nullable(Type.String()),
  status: nullable(Type.String()),
  explain: Type.String({ description: "Path of the workflow run's decision log." }),
});

export const RunExplanation = responseObject(
  "RunExplanation",
  {
    run_id: Id,
    status: oneOf(RUN_STATUSES),
    summary: Type.String({ description: "Summary in one sentence." }),
    blockers: Type.Array(Blocker, {
      description: "Everything that blocks the run. Empty if it is running, has ended or can start now.",
    }),
    would_start_at: nullable(Timestamp),
    queue_position: nullable(QueuePosition),
    running: nullable(Running),
    workflow: nullable(Step),
  },
  "Why a run is not running, and what would unblock it.",
);
export type RunExplanation = Static<typeof RunExplanation>;
export type RunBlocker = RunExplanation["blockers"][number];
