import Type, { type Static } from "typebox";
import { Id, Timestamp } from "../schema/fields.ts";
import { bodyObject, nullable, oneOf, responseObject } from "../schema/schema.ts";
import { ConcurrencyKey, IdempotencyKey, Metadata, Priority, RUN_STATUSES, Tags, TagsInput } from "./runs.ts";

/** Requests of a running job about its own run, including completing, failing and suspending it, with its run token. */

export const MAX_RESULT_BYTES = 1_048_576;
export const DEFAULT_WAIT_SECS = 3_600;
export const MAX_WAIT_SECS = 31_536_000;

export const SdkRun = responseObject(
  "SdkRun",
  {
    id: Id,
    job_id: Id,
    attempt: Type.Integer({
      description: "Number of the current dispatch. Increases with every dispatch and never repeats.",
    }),
    max_attempts: Type.Integer(),
    tries_used: Type.Integer({ description: "Dispatches that ended in a failure since the start or the last wait." }),
    payload: Type.Unknown(),
    metadata: Type.Record(Type.String(), Type.Unknown()),
    tags: Tags,
    checkpoint: Type.Unknown({ description: "Payload of the event that resumed the run, or else the saved state." }),
    state: Type.Unknown({ description: "The last state saved with /checkpoint in any attempt." }),
    waits: Type.Array(
      Type.Object({
        event_key: Type.String({ description: "For a sleep or an awaited child, derived from the wait's id." }),
        ordinal: Type.Integer({ description: "Position of the wait in the run, starting at 1." }),
        status: oneOf(["received", "timed_out", "canceled"]),
        payload: Type.Unknown(),
      }),
      { description: "The run's ended waits, in order." },
    ),
    deadline: Timestamp,
  },
  "A run as its own job sees it.",
);
export type SdkRun = Static<typeof SdkRun>;

export const SdkHeartbeatBody = bodyObject(
  "SdkHeartbeatBody",
  {},
  "An empty body: the heartbeat itself shows that the job is alive.",
);

export const SdkHeartbeat = responseObject(
  "SdkHeartbeat",
  {
    token: nullable(Type.String({ description: "A fresh run token. Null if the run was canceled." })),
    deadline: nullable(Timestamp),
    cancel_requested: Type.Boolean({ description: "The run was canceled: stop working." }),
    pause_requested: Type.Boolean({
      description: "A pause was requested: the run is not dispatched again until it is resumed.",
    }),
  },
  "The response to a heartbeat.",
);
export type SdkHeartbeat = Static<typeof SdkHeartbeat>;

export const SdkCompleteBody = bodyObject(
  "SdkCompleteBody",
  { result: Type.Optional(Type.Unknown({ description: "Any JSON, up to 1 MB." })) },
  "Completes the run.",
);
export type SdkCompleteBody = Static<typeof SdkCompleteBody>;

export const SdkFailBody = bodyObject(
  "SdkFailBody",
  {
    error: Type.Object(
      {
        code: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: "Default: `failed`." })),
        message: Type.String({ maxLength: 16_384 }),
      },
      { additionalProperties: false },
    ),
    retryable: Type.Optional(Type.Boolean({ default: true, description: "False: do not retry." })),
    retry_after_secs: Type.Optional(
      nullable(
        Type.Integer({ minimum: 0, maximum: 3_600, description: "Overrides the delay of the job's retry strategy." }),
      ),
    ),
  },
  "Fails the attempt.",
);
export type SdkFailBody = Static<typeof SdkFailBody>;

export const SdkEnded = responseObject(
  "SdkEnded",
  { status: oneOf(RUN_STATUSES, "`pending` if the run will be retried.") },
  "The run's new status.",
);
export type SdkEnded = Static<typeof SdkEnded>;

export const SdkWaitBody = bodyObject(
  "SdkWaitBody",
  {
    event_key: Type.String({
      description: "1 to 512 characters, no control characters. Only one wait at a time can use a key.",
    }),
    timeout_secs: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_WAIT_SECS,
        default: DEFAULT_WAIT_SECS,
        description: "If no event arrives within this time, the run times out.",
      }),
    ),
    notify_url: Type.Optional(
      nullable(
        Type.String({ maxLength: 2048, description: "URL that receives a signed webhook when the event arrives." }),
      ),
    ),
  },
  "Suspends the run until an event arrives. The response ends the attempt.",
);
export type SdkWaitBody = Static<typeof SdkWaitBody>;

export const SdkSleepBody = bodyObject(
  "SdkSleepBody",
  {
    secs: Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: MAX_WAIT_SECS }))),
    until: Type.Optional(nullable(Timestamp)),
  },
  "Suspends the run for `secs`, or `until` a time within a year. The response ends the attempt.",
);
export type SdkSleepBody = Static<typeof SdkSleepBody>;

export const SdkSpawnBody = bodyObject(
  "SdkSpawnBody",
  {
    job_id: Type.String({ minLength: 1, maxLength: 63, description: "Id or slug of the job to start." }),
    payload: Type.Optional(Type.Unknown()),
    metadata: Type.Optional(Metadata),
    tags: Type.Optional(TagsInput),
    priority: Type.Optional(Priority),
    concurrency_key: Type.Optional(nullable(ConcurrencyKey)),
    idempotency_key: Type.Optional(nullable(IdempotencyKey)),
    scheduled_at: Type.Optional(nullable(Timestamp)),
    delay_secs: Type.Optional(nullable(Type.Number({ minimum: 0, maximum: 31_536_000 }))),
    wait: Type.Optional(
      Type.Boolean({
        description:
          "True: suspends the calling run until the child ends, with `{ok, status, output | error}` as its checkpoint. The response ends the attempt.",
      }),
    ),
    wait_timeout_secs: Type.Optional(
      nullable(
        Type.Integer({
          minimum: 1,
          maximum: MAX_WAIT_SECS,
          description: "How long to wait for the child. Default: one year. After that, the calling run times out.",
        }),
      ),
    ),
  },
  "Spawns a child run in the parent's environment.",
);
export type SdkSpawnBody = Static<typeof SdkSpawnBody>;
