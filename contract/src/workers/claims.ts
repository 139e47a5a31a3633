import Type, { type Static } from "typebox";
import { Tags } from "../runs/runs.ts";
import { Id, JobRef, NAME_PATTERN, Timestamp } from "../schema/fields.ts";
import { bodyObject, responseObject } from "../schema/schema.ts";
import { QueueName } from "./queues.ts";

/** A claimed run belongs to its worker for so long, until the first heartbeat. */
export const FIRST_LEASE_SECS = 15;
/** Each heartbeat extends the lease to so long from then. */
export const HEARTBEAT_LEASE_SECS = 30;
export const MAX_CLAIM = 100;
export const MAX_WAIT_SECS = 30;

const ShortText = Type.String({ minLength: 1, maxLength: 200, pattern: NAME_PATTERN });

export const WorkerId = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: NAME_PATTERN,
  description: "Chosen by the worker process, and unique in its project. A restarted process chooses a new one.",
});

const WorkerInfo = Type.Object(
  {
    name: Type.Optional({ ...ShortText, description: "Display name, such as the name of the host." }),
    version: Type.Optional({ ...ShortText, description: "Version of the worker's code." }),
    labels: Type.Optional(
      Type.Record(Type.String({ pattern: "^[\\s\\S]{1,64}$" }), Type.String({ maxLength: 256 }), { maxProperties: 20 }),
    ),
    concurrency: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100_000, description: "How many runs the worker executes at once." }),
    ),
  },
  { additionalProperties: false, description: "Shown by `GET /v1/workers`." },
);

const claim = {
  worker_id: WorkerId,
  claim_id: Type.String({
    format: "uuid",
    description: "New for every claim. Repeating it returns the runs that the first request claimed.",
  }),
  queues: Type.Optional(
    Type.Array(QueueName, {
      minItems: 1,
      maxItems: 100,
      uniqueItems: true,
      description: "Queues to serve. Default: all that the key may serve.",
    }),
  ),
  jobs: Type.Optional(
    Type.Array(JobRef, {
      minItems: 1,
      maxItems: 1000,
      uniqueItems: true,
      description: "Jobs that the worker can execute, by id or slug. Default: all jobs of the queues.",
    }),
  ),
  max: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MAX_CLAIM, default: 1, description: "Maximum number of runs to claim." }),
  ),
  info: Type.Optional(WorkerInfo),
};

/** A claim with the results of earlier runs: it never waits. */
export const PiggybackedClaim = Type.Object(claim, { additionalProperties: false });

export const ClaimRuns = bodyObject(
  "ClaimRuns",
  {
    ...claim,
    wait_secs: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MAX_WAIT_SECS,
        default: 0,
        description: "How long to wait for the first run. 0: respond at once.",
      }),
    ),
  },
  "Claims runs of jobs with `delivery: pull`.",
);
export type ClaimRuns = Static<typeof ClaimRuns>;

const ClaimedRun = Type.Object(
  {
    run_id: Id,
    job_id: Id,
    job_slug: Type.String(),
    job_version_id: Id,
    project_id: Id,
    attempt: Type.Integer({ description: "Rises with every claim and never repeats." }),
    max_attempts: Type.Integer(),
    tries_used: Type.Integer(),
    payload: Type.Unknown(),
    metadata: Type.Record(Type.String(), Type.Unknown()),
    tags: Tags,
    checkpoint: Type.Unknown(),
    state: Type.Unknown(),
    waits: Type.Array(Type.Unknown()),
    env: Type.Record(Type.String(), Type.String(), {
      description: "Variables of the run's environment. Empty over plain HTTP, except on this machine.",
    }),
    scheduled_at: Timestamp,
    deadline: Timestamp,
    workflow_run_id: Type.Optional(Id),
    step_ref: Type.Optional(Type.String()),
    parent_outputs: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    queue: QueueName,
    run_token: Type.String({ description: "For the requests of the run itself, `/sdk/v1/runs/{runID}/…`." }),
    lease_token: Type.String({ format: "uuid", description: "Sent with heartbeats and with the result." }),
    traceparent: Type.String({ description: "The trace context of this attempt, as in the header of a dispatch." }),
    tracestate: Type.Optional(
      Type.String({ description: "The `tracestate` of the trigger, as in the header of a dispatch." }),
    ),
    lease_secs: Type.Integer({ description: "The run is queued again if no heartbeat or result comes in this time." }),
  },
  { description: "The body of a dispatch, with the tokens of its lease." },
);

export const claimFields = {
  runs: Type.Array(ClaimedRun, { description: "Empty if there was nothing to claim." }),
  paused_queues: Type.Array(QueueName, { description: "Requested queues that are paused." }),
  unknown_jobs: Type.Array(Type.String(), { description: "Requested jobs that the project does not have." }),
};

export const Claim = responseObject("Claim", claimFields, "The claimed runs.");
export type Claim = Static<typeof Claim>;
