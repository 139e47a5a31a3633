import Type, { type Static } from "typebox";
import { ActorId, EndedById, Id, paging, Timestamp } from "./fields.ts";
import { answerObject, bodyObject, listOf, nullable, oneOf, refTo } from "./schema.ts";

export const EVENT_TRIGGER_STATUSES = ["waiting", "received", "timed_out", "canceled"] as const;
export const SOURCE_TYPES = ["workflow_step", "job_run"] as const;
export const EVENT_TRIGGER_TYPES = ["event", "sleep"] as const;
export const WAIT_KINDS = ["event", "sleep", "child", "approval"] as const;
export const EVENT_SORTS = ["created_at", "expires_at"] as const;
export const MOST_KEY_CHARACTERS = 512;
export const MOST_BUFFER_SECS = 604_800;
export const MOST_TRIGGERS_SHOWN = 100;

const EventError = nullable(
  Type.Object({
    code: Type.String({ description: "Why the wait failed, for programs." }),
    message: Type.String({ description: "Why the wait failed, for people." }),
    by_id: EndedById,
  }),
);

export const EventTrigger = answerObject(
  "EventTrigger",
  {
    id: Id,
    event_key: Type.String({ description: "Unique among the waiting triggers of the project." }),
    project_id: Id,
    environment_id: Id,
    source_type: oneOf(SOURCE_TYPES, "What waits: a step of a workflow, or a run of a job."),
    trigger_type: oneOf(EVENT_TRIGGER_TYPES, "`event` waits for an event, `sleep` for a time."),
    wait_kind: oneOf(WAIT_KINDS, "Only `event` has a key that can be sent to; the others carry one made of their id."),
    workflow_run_id: nullable(Id),
    workflow_step_run_id: nullable(Id),
    job_run_id: nullable(Id),
    status: oneOf(EVENT_TRIGGER_STATUSES),
    timeout_secs: nullable(Type.Integer()),
    payload: Type.Unknown({ description: "What the event brought." }),
    request_payload: Type.Unknown({ description: "The same as `payload`." }),
    error: EventError,
    message: nullable(Type.String({ description: "What an approval asks, as in its step run. Null for other waits." })),
    notify_url: nullable(Type.String({ description: "Gets a signed webhook when the event arrives." })),
    sent_by: nullable(Type.String({ description: "Who sent the event." })),
    sent_by_id: ActorId,
    callback_url: nullable(
      Type.String({
        description:
          "Whoever knows it can send this one event, once, without a key. Shown while the trigger waits, to callers that may send events.",
      }),
    ),
    expires_at: Timestamp,
    requested_at: Timestamp,
    received_at: nullable(Timestamp),
    finished_at: nullable(Timestamp),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  "A wait of a run or of a workflow step, until an event, a time, the end of a child run or an approval.",
);
export type EventTrigger = Static<typeof EventTrigger>;

export const EventTriggerList = listOf("EventTriggerList", EventTrigger);

const Payload = Type.Unknown({ description: "Any JSON; null when absent." });

export const SendEvent = bodyObject(
  "SendEvent",
  {
    payload: Type.Optional(Payload),
    buffer_secs: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MOST_BUFFER_SECS,
        description: "When nobody waits for the key: how long the event is kept for the next who does.",
      }),
    ),
  },
  "An event for whoever waits for its key.",
);
export type SendEvent = Static<typeof SendEvent>;

export const BufferedEvent = answerObject(
  "BufferedEvent",
  {
    buffered: Type.Boolean({
      description:
        "Nobody waited. True: the event is kept for the next who waits for the key. False: it cancels runs, and is not kept.",
    }),
    id: Id,
    expires_at: nullable(Timestamp),
    canceled_runs: Type.Optional(Type.Integer({ description: "How many runs it cancels, when it cancels any." })),
    canceled_run_ids: Type.Optional(Type.Array(Id, { description: "Runs among them, the first hundred." })),
    canceled_workflow_run_ids: Type.Optional(
      Type.Array(Id, { description: "Workflow runs among them, the first hundred." }),
    ),
  },
  "An event that waits for its waiter, or cancels runs by the `cancel_on` of their jobs and workflows.",
);
export type BufferedEvent = Static<typeof BufferedEvent>;

export const SendEventPrefix = bodyObject(
  "SendEventPrefix",
  {
    payload: Type.Optional(Payload),
    dry_run: Type.Optional(Type.Boolean({ description: "True: tells who would receive it, and sends nothing." })),
  },
  "An event for all whose key begins with the prefix.",
);
export type SendEventPrefix = Static<typeof SendEventPrefix>;

export const EventPrefixSent = answerObject(
  "EventPrefixSent",
  {
    dry_run: Type.Boolean(),
    resolved: Type.Integer({ description: "How many triggers received the event; on a dry run, would receive it." }),
    canceled_runs: Type.Integer({
      description:
        "How many runs are canceled by it through their `cancel_on`, as far as was counted: the first thousand keys. On a repetition 0.",
    }),
    triggers: Type.Unsafe<EventTrigger[]>({
      type: "array",
      items: refTo(EventTrigger),
      description: `The first ${MOST_TRIGGERS_SHOWN} of them, by key.`,
    }),
  },
  "Who received the event.",
);
export type EventPrefixSent = Static<typeof EventPrefixSent>;

export const SendEventByCallback = bodyObject(
  "SendEventByCallback",
  { payload: Type.Optional(Payload) },
  "The event that the owner of the address waits for.",
);
export type SendEventByCallback = Static<typeof SendEventByCallback>;

export const CallbackReceived = answerObject(
  "CallbackReceived",
  { received: Type.Boolean(), received_at: Timestamp },
  "The event was taken. Nothing of the trigger is told: the sender has no account.",
);
export type CallbackReceived = Static<typeof CallbackReceived>;

export const EventStats = answerObject(
  "EventStats",
  {
    waiting: Type.Integer(),
    received: Type.Integer(),
    timed_out: Type.Integer(),
    canceled: Type.Integer(),
  },
  "How many triggers the project has in each state.",
);
export type EventStats = Static<typeof EventStats>;

export const PurgeEvents = bodyObject(
  "PurgeEvents",
  {
    older_than_days: Type.Integer({ minimum: 0, maximum: 36_500, description: "Counted from the end of the wait." }),
    dry_run: Type.Optional(Type.Boolean({ description: "True: only counts." })),
  },
  "Which ended triggers to delete.",
);
export type PurgeEvents = Static<typeof PurgeEvents>;

export const EventsPurged = answerObject(
  "EventsPurged",
  {
    dry_run: Type.Boolean(),
    matched: Type.Integer({ description: "Ended triggers that are old enough." }),
    deleted: Type.Integer(),
  },
  "What was deleted, or would be.",
);
export type EventsPurged = Static<typeof EventsPurged>;

export const ListEventsQuery = Type.Object(
  {
    ...paging,
    sort: Type.Optional(
      oneOf(
        EVENT_SORTS,
        "`expires_at`: those that end soonest first, unless `order=desc`; with `status=waiting` alone. Else the newest first.",
      ),
    ),
    status: Type.Optional(oneOf(EVENT_TRIGGER_STATUSES)),
    source_type: Type.Optional(oneOf(SOURCE_TYPES)),
    trigger_type: Type.Optional(oneOf(EVENT_TRIGGER_TYPES)),
    workflow_run_id: Type.Optional(Id),
    job_run_id: Type.Optional(Id),
    event_key_prefix: Type.Optional(
      Type.String({ minLength: 1, maxLength: MOST_KEY_CHARACTERS, description: "Taken literally." }),
    ),
  },
  { additionalProperties: false },
);
export type ListEventsQuery = Static<typeof ListEventsQuery>;
