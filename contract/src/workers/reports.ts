import Type, { type Static } from "typebox";
import { RUN_STATUSES } from "../runs/runs.ts";
import { LogLine, MAX_LOGS, SdkProgressBody, usage } from "../runs/sdk-records.ts";
import { Id } from "../schema/fields.ts";
import { bodyObject, nullable, oneOf, responseObject } from "../schema/schema.ts";
import { claimFields, PiggybackedClaim, WorkerId } from "./claims.ts";

/** What a worker reports about the runs it holds: heartbeats, results, and those it releases. */

export const MAX_HELD = 10_000;
export const MAX_RESULTS = 100;

const lease = {
  run_id: Id,
  attempt: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }),
  lease_token: Type.String({ format: "uuid" }),
};

export const HeartbeatBody = bodyObject(
  "WorkerHeartbeatBody",
  {
    worker_id: WorkerId,
    runs: Type.Array(
      Type.Object(
        {
          ...lease,
          progress: Type.Optional(Type.Object(SdkProgressBody.properties, { additionalProperties: false })),
        },
        { additionalProperties: false },
      ),
      { maxItems: MAX_HELD, description: "All runs that the worker holds." },
    ),
  },
  "One heartbeat for all runs of a worker, every 10 seconds.",
);
export type HeartbeatBody = Static<typeof HeartbeatBody>;

export const Heartbeat = responseObject(
  "WorkerHeartbeat",
  {
    extended: Type.Integer({ description: "How many leases were extended." }),
    lease_secs: Type.Integer({ description: "How long they last from now." }),
    cancel: Type.Array(Id, { description: "Runs that were canceled: stop working on them." }),
    lost: Type.Array(Id, {
      description: "Runs that this attempt no longer holds: stop working on them, their results are ignored.",
    }),
  },
  "Which runs the worker still holds.",
);
export type Heartbeat = Static<typeof Heartbeat>;

export const RESULT_STATUSES = ["completed", "failed", "unknown_job"] as const;

const RunResult = Type.Object(
  {
    ...lease,
    status: oneOf(
      RESULT_STATUSES,
      "`unknown_job`: the worker cannot execute the job. The run is queued again after a delay, with its tries unchanged.",
    ),
    result: Type.Optional(
      Type.Unknown({ description: "For `completed`: any JSON that fits into the 1 MB of a request." }),
    ),
    error: Type.Optional(
      nullable(
        Type.Object(
          {
            code: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: "Default: `failed`." })),
            message: Type.String({ maxLength: 16_384 }),
          },
          { additionalProperties: false, description: "Required for `failed`." },
        ),
      ),
    ),
    retryable: Type.Optional(Type.Boolean({ default: true, description: "For `failed`. False: do not retry." })),
    retry_after_secs: Type.Optional(nullable(Type.Integer({ minimum: 0, maximum: 3_600 }))),
    duration_ms: Type.Optional(nullable(Type.Integer({ minimum: 0, maximum: 2_147_483_647 }))),
    logs: Type.Optional(Type.Array(LogLine, { maxItems: MAX_LOGS })),
    usage: Type.Optional(Type.Array(Type.Object(usage, { additionalProperties: false }), { maxItems: 100 })),
  },
  { additionalProperties: false },
);
export type RunResult = Static<typeof RunResult>;

export const ResultsBody = bodyObject(
  "WorkerResultsBody",
  {
    worker_id: WorkerId,
    results: Type.Array(RunResult, { maxItems: MAX_RESULTS }),
    claim: Type.Optional(PiggybackedClaim),
  },
  "Ends attempts, and optionally claims the next runs in the same request.",
);
export type ResultsBody = Static<typeof ResultsBody>;

export const RESULT_OUTCOMES = ["settled", "duplicate", "lost"] as const;

export const Results = responseObject(
  "WorkerResults",
  {
    results: Type.Array(
      Type.Object({
        run_id: Id,
        outcome: oneOf(
          RESULT_OUTCOMES,
          "`duplicate`: the same attempt was settled before, or by an earlier result of the same request. `lost`: the attempt no longer holds the run.",
        ),
        status: nullable(oneOf(RUN_STATUSES, "Of the run after a settled result. `pending`: it will be retried.")),
        rejected: Type.Array(Type.Object({ location: Type.String(), message: Type.String() }), {
          description:
            "Log lines that are not valid, as `body.results[0].logs[2].logged_at`, and why. They are not stored; the other lines, the usage and the result are.",
        }),
      }),
      { description: "One for each result, in order." },
    ),
    claim: nullable(Type.Object(claimFields, { description: "Null: nothing was to be claimed, or it failed." })),
    claim_error: nullable(
      Type.Object({ code: Type.String(), message: Type.String() }, { description: "Why the claim failed." }),
    ),
  },
  "The outcome of each result.",
);
export type Results = Static<typeof Results>;

export const DrainBody = bodyObject(
  "WorkerDrainBody",
  {
    worker_id: WorkerId,
    runs: Type.Array(Type.Object(lease, { additionalProperties: false }), {
      maxItems: MAX_HELD,
      description: "Runs that the worker has claimed and not started.",
    }),
  },
  "Puts back runs that have not started, with their tries unchanged. The worker is no longer listed.",
);
export type DrainBody = Static<typeof DrainBody>;

export const Drained = responseObject(
  "WorkerDrained",
  {
    released: Type.Integer({ description: "How many runs were released." }),
    lost: Type.Array(Id, { description: "Runs that this attempt no longer held." }),
  },
  "What was released.",
);
export type Drained = Static<typeof Drained>;
