import Type, { type Static } from "typebox";
import { Id, Timestamp } from "./fields.ts";
import { RUN_STATUSES } from "./runs.ts";
import { answerObject, nullable, oneOf } from "./schema.ts";

const BLOCKER_CODES = [
  "not_due",
  "backoff",
  "dependency",
  "paused_run",
  "pause_requested",
  "paused_job",
  "paused_workflow_run",
  "canceling",
  "concurrency_key",
  "job_concurrency",
  "rate_limit",
  "budget",
  "circuit",
  "waiting_for_event",
  "sleeping",
  "waiting_for_child",
  "no_engine",
  "not_queued",
  "parked",
] as const;

const RemedyRequest = Type.Object(
  {
    method: oneOf(["POST", "PATCH", "PUT", "DELETE"]),
    path: Type.String({ description: "Ready to be sent: everything in it is encoded." }),
    body: Type.Optional(Type.Unknown()),
  },
  { description: "A request that takes this blocker away." },
);

const Blocker = Type.Object({
  code: oneOf(BLOCKER_CODES, "What holds the run, for programs."),
  message: Type.String({ description: "What holds the run, for people." }),
  since: nullable(Timestamp),
  until: nullable(Timestamp),
  evidence: Type.Record(Type.String(), Type.Unknown(), {
    description: "What was found in the queue and its counters.",
  }),
  remedy: Type.Object({ message: Type.String(), request: Type.Optional(RemedyRequest) }),
});

const InLine = Type.Object({
  host: Type.String(),
  ahead: Type.Integer({ description: "Claimable runs before it in its lane, 10,000 at most." }),
  engines_alive: Type.Integer(),
  dispatch_slots: nullable(Type.Integer({ description: "Of the instance that answers; null when it has no engine." })),
  dispatch_busy: nullable(Type.Integer()),
});

const Running = Type.Object({
  since: Timestamp,
  attempt: Type.Integer(),
  instance_id: nullable(Id),
  accepted_at: nullable(Timestamp),
  lease_until: Timestamp,
  deadline: Timestamp,
  last_heartbeat_at: nullable(Timestamp),
});

const Step = Type.Object({
  workflow_run_id: Id,
  step_ref: nullable(Type.String()),
  status: nullable(Type.String()),
  explain: Type.String({ description: "Where the decisions of the workflow run are." }),
});

export const RunExplanation = answerObject(
  "RunExplanation",
  {
    run_id: Id,
    status: oneOf(RUN_STATUSES),
    summary: Type.String({ description: "In one sentence." }),
    blockers: Type.Array(Blocker, { description: "All that holds it. Empty: it runs, has ended, or may start now." }),
    would_start_at: nullable(Timestamp),
    in_line: nullable(InLine),
    running: nullable(Running),
    workflow: nullable(Step),
  },
  "Why a run is not running, and what would start it.",
);
export type RunExplanation = Static<typeof RunExplanation>;
export type RunBlocker = RunExplanation["blockers"][number];
