import Type, { type Static } from "typebox";
import { Id, Timestamp } from "./fields.ts";
import { ConcurrencyKey, IdempotencyKey, Metadata, Priority, RUN_STATUSES, Tags, TagsInput } from "./runs.ts";
import { answerObject, bodyObject, nullable, oneOf } from "./schema.ts";

/** What a running job may ask of its own run, and how it ends or suspends it, with its run token. */

export const MOST_RESULT_BYTES = 1_048_576;
export const DEFAULT_WAIT_SECS = 3_600;
export const LONGEST_WAIT_SECS = 31_536_000;

export const SdkRun = answerObject(
  "SdkRun",
  {
    id: Id,
    job_id: Id,
    attempt: Type.Integer({ description: "Rises with every dispatch and never repeats." }),
    max_attempts: Type.Integer(),
    tries_used: Type.Integer({ description: "Dispatches that ended in a failure since the start or the last wait." }),
    payload: Type.Unknown(),
    metadata: Type.Record(Type.String(), Type.Unknown()),
    tags: Tags,
    checkpoint: Type.Unknown({ description: "Payload of the event that resumed the run; else the state it saved." }),
    state: Type.Unknown({ description: "The last state saved with /checkpoint, over all attempts." }),
    waits: Type.Array(
      Type.Object({
        event_key: Type.String({ description: "Of a sleep or an awaited child: one made of the wait's own id." }),
        ordinal: Type.Integer({ description: "Numbers the waits of the run from 1." }),
        status: oneOf(["received", "timed_out", "canceled"]),
        payload: Type.Unknown(),
      }),
      { description: "The waits of the run that have ended, in order." },
    ),
    deadline: Timestamp,
  },
  "A run as its own job sees it.",
);
export type SdkRun = Static<typeof SdkRun>;

export const SdkHeartbeatBody = bodyObject("SdkHeartbeatBody", {}, "Nothing to say but that the job is alive.");

export const SdkHeartbeat = answerObject(
  "SdkHeartbeat",
  {
    token: nullable(Type.String({ description: "A fresh run token. Null: the run was canceled." })),
    deadline: nullable(Timestamp),
    cancel_requested: Type.Boolean({ description: "The run was canceled: stop." }),
    pause_requested: Type.Boolean({ description: "Somebody asked to pause: the run is not started again by itself." }),
  },
  "What a living job should know.",
);
export type SdkHeartbeat = Static<typeof SdkHeartbeat>;

export const SdkCompleteBody = bodyObject(
  "SdkCompleteBody",
  { result: Type.Optional(Type.Unknown({ description: "Any JSON, up to 1 MB." })) },
  "The job is done.",
);
export type SdkCompleteBody = Static<typeof SdkCompleteBody>;

export const SdkFailBody = bodyObject(
  "SdkFailBody",
  {
    error: Type.Object(
      {
        code: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: "`failed` when absent." })),
        message: Type.String({ maxLength: 16_384 }),
      },
      { additionalProperties: false },
    ),
    retryable: Type.Optional(Type.Boolean({ default: true, description: "False: no further attempt can help." })),
    retry_after_secs: Type.Optional(
      nullable(Type.Integer({ minimum: 0, maximum: 3_600, description: "In place of the job's own backoff." })),
    ),
  },
  "The job could not be done.",
);
export type SdkFailBody = Static<typeof SdkFailBody>;

export const SdkEnded = answerObject(
  "SdkEnded",
  { status: oneOf(RUN_STATUSES, "`pending`: it will be tried again.") },
  "What became of the run.",
);
export type SdkEnded = Static<typeof SdkEnded>;

export const SdkWaitBody = bodyObject(
  "SdkWaitBody",
  {
    event_key: Type.String({ description: "1 to 512 characters, no control characters; one waiter at a time." }),
    timeout_secs: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: LONGEST_WAIT_SECS,
        default: DEFAULT_WAIT_SECS,
        description: "When no event has come by then, the run is timed out.",
      }),
    ),
    notify_url: Type.Optional(
      nullable(Type.String({ maxLength: 2048, description: "Gets a signed webhook when the event arrives." })),
    ),
  },
  "What the run waits for. Its attempt is over with the answer.",
);
export type SdkWaitBody = Static<typeof SdkWaitBody>;

export const SdkSleepBody = bodyObject(
  "SdkSleepBody",
  {
    secs: Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: LONGEST_WAIT_SECS }))),
    until: Type.Optional(nullable(Timestamp)),
  },
  "How long the run sleeps: `secs`, or `until` a time within a year. Its attempt is over with the answer.",
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
          "True: the calling run is suspended and goes on when the child has ended, with `{ok, status, output | error}` as its checkpoint. Its attempt is over with the answer.",
      }),
    ),
    wait_timeout_secs: Type.Optional(
      nullable(
        Type.Integer({
          minimum: 1,
          maximum: LONGEST_WAIT_SECS,
          description:
            "How long to wait for the child; a year when absent. When it is over, the calling run is timed out.",
        }),
      ),
    ),
  },
  "A child run, in the environment of its parent.",
);
export type SdkSpawnBody = Static<typeof SdkSpawnBody>;
