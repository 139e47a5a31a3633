import Type, { type Static } from "typebox";
import { ActorId, EndedById, EnvironmentRef, Id, IdsFilter, paging, Timestamp } from "../schema/fields.ts";
import { bodyObject, listOf, nullable, oneOf, refTo, responseObject } from "../schema/schema.ts";

export const EVENT_TRIGGER_STATUSES = ["waiting", "received", "timed_out", "canceled"] as const;
export const SOURCE_TYPES = ["workflow_step", "job_run"] as const;
export const EVENT_TRIGGER_TYPES = ["event", "sleep"] as const;
export const WAIT_KINDS = ["event", "sleep", "child", "approval"] as const;
export const EVENT_SORTS = ["created_at", "expires_at"] as const;
export const MAX_KEY_CHARACTERS = 512;
export const MAX_BUFFER_SECS = 604_800;
export const MAX_TRIGGERS_SHOWN = 100;

const EventError = nullable(
  Type.Object({
    code: Type.String({ description: "Machine-readable reason why the wait failed." }),
    message: Type.String({ description: "Human-readable reason why the wait failed." }),
    by_id: EndedById,
  }),
);

export const EventTrigger = responseObject(
  "EventTrigger",
  {
    id: Id,
    event_key: Type.String({ description: "Unique among the waiting triggers of the project." }),
    project_id: Id,
    environment_id: Id,
    source_type: oneOf(SOURCE_TYPES, "Whether a workflow step or a job run is waiting."),
    trigger_type: oneOf(EVENT_TRIGGER_TYPES, "`event` waits for an event, `sleep` for a point in time."),
    wait_kind: oneOf(
      WAIT_KINDS,
      "Only `event` waits have a key that you can send to. The key of other waits is derived from their id.",
    ),
    workflow_run_id: nullable(Id),
    workflow_step_run_id: nullable(Id),
    job_run_id: nullable(Id),
    status: oneOf(EVENT_TRIGGER_STATUSES),
    timeout_secs: nullable(Type.Integer()),
    payload: Type.Unknown({ description: "Payload of the event." }),
    request_payload: Type.Unknown({ description: "Same as `payload`." }),
    error: EventError,
    message: nullable(Type.String({ description: "The approval message, as in the step run. Null for other waits." })),
    notify_url: nullable(Type.String({ description: "URL that receives a signed webhook when the event arrives." })),
    sent_by: nullable(Type.String({ description: "Name of the actor that sent the event." })),
    sent_by_id: ActorId,
    callback_url: nullable(
      Type.String({
        description:
          "Anyone with this URL can send this one event, once, without a key. Shown while the trigger is waiting, to callers with permission to send events.",
      }),
    ),
    expires_at: Timestamp,
    requested_at: Timestamp,
    received_at: nullable(Timestamp),
    finished_at: nullable(Timestamp),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  "A run or workflow step waiting for an event, a point in time, the end of a child run or an approval.",
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
        maximum: MAX_BUFFER_SECS,
        description: "If nothing is waiting for the key: how long to buffer the event for the next wait.",
      }),
    ),
  },
  "Sends an event to the wait with its key.",
);
export type SendEvent = Static<typeof SendEvent>;

export const BufferedEvent = responseObject(
  "BufferedEvent",
  {
    buffered: Type.Boolean({
      description:
        "True: nothing was waiting, and the event is buffered for the next wait with this key. False: nothing was waiting, and the event cancels runs and is not kept.",
    }),
    id: Id,
    expires_at: nullable(Timestamp),
    canceled_runs: Type.Optional(
      Type.Integer({ description: "Number of runs that the event cancels. Absent if there are none." }),
    ),
    canceled_run_ids: Type.Optional(Type.Array(Id, { description: "Canceled runs, at most 100." })),
    canceled_workflow_run_ids: Type.Optional(Type.Array(Id, { description: "Canceled workflow runs, at most 100." })),
  },
  "An event that was buffered, or that cancels runs through `cancel_on` of their jobs and workflows.",
);
export type BufferedEvent = Static<typeof BufferedEvent>;

export const SendEventPrefix = bodyObject(
  "SendEventPrefix",
  {
    payload: Type.Optional(Payload),
    dry_run: Type.Optional(
      Type.Boolean({ description: "Returns which triggers would receive the event, and sends nothing." }),
    ),
  },
  "Sends an event to every wait whose key starts with the prefix.",
);
export type SendEventPrefix = Static<typeof SendEventPrefix>;

export const EventPrefixSent = responseObject(
  "EventPrefixSent",
  {
    dry_run: Type.Boolean(),
    resolved: Type.Integer({
      description: "Number of triggers that received the event, or would receive it on a dry run.",
    }),
    canceled_runs: Type.Integer({
      description:
        "Number of runs canceled through `cancel_on`, counted for the first thousand keys. 0 if the request is a repetition.",
    }),
    triggers: Type.Unsafe<EventTrigger[]>({
      type: "array",
      items: refTo(EventTrigger),
      description: `At most ${MAX_TRIGGERS_SHOWN}, ordered by key.`,
    }),
  },
  "The triggers that received the event.",
);
export type EventPrefixSent = Static<typeof EventPrefixSent>;

export const SendEventByCallback = bodyObject(
  "SendEventByCallback",
  { payload: Type.Optional(Payload) },
  "The event that the callback URL's trigger is waiting for.",
);
export type SendEventByCallback = Static<typeof SendEventByCallback>;

export const CallbackReceived = responseObject(
  "CallbackReceived",
  { received: Type.Boolean(), received_at: Timestamp },
  "The event was received. Details of the trigger are omitted because the sender is not authenticated.",
);
export type CallbackReceived = Static<typeof CallbackReceived>;

export const EventStats = responseObject(
  "EventStats",
  {
    waiting: Type.Integer(),
    received: Type.Integer(),
    timed_out: Type.Integer(),
    canceled: Type.Integer(),
  },
  "Number of event triggers in each state.",
);
export type EventStats = Static<typeof EventStats>;

export const EventStatsQuery = Type.Object(
  { environment_id: Type.Optional(EnvironmentRef) },
  { additionalProperties: false },
);

export const PurgeEvents = bodyObject(
  "PurgeEvents",
  {
    older_than_days: Type.Integer({
      minimum: 0,
      maximum: 36_500,
      description: "Age in days, counted from the end of the wait.",
    }),
    dry_run: Type.Optional(Type.Boolean({ description: "Counts the matching triggers and deletes none." })),
  },
  "Selects ended triggers to delete.",
);
export type PurgeEvents = Static<typeof PurgeEvents>;

export const EventsPurged = responseObject(
  "EventsPurged",
  {
    dry_run: Type.Boolean(),
    matched: Type.Integer({ description: "Ended triggers that are older than the limit." }),
    deleted: Type.Integer(),
  },
  "The number of triggers deleted, or to be deleted on a dry run.",
);
export type EventsPurged = Static<typeof EventsPurged>;

export const ListEventsQuery = Type.Object(
  {
    ...paging,
    sort: Type.Optional(
      oneOf(
        EVENT_SORTS,
        "`expires_at` (only with `status=waiting`) lists the next to expire first, unless `order=desc`. Otherwise newest first.",
      ),
    ),
    status: Type.Optional(oneOf(EVENT_TRIGGER_STATUSES)),
    source_type: Type.Optional(oneOf(SOURCE_TYPES)),
    trigger_type: Type.Optional(oneOf(EVENT_TRIGGER_TYPES)),
    wait_kind: Type.Optional(oneOf(WAIT_KINDS)),
    environment_id: Type.Optional(EnvironmentRef),
    workflow_run_id: Type.Optional(IdsFilter),
    job_run_id: Type.Optional(IdsFilter),
    event_key_prefix: Type.Optional(
      Type.String({ minLength: 1, maxLength: MAX_KEY_CHARACTERS, description: "Matched literally." }),
    ),
  },
  { additionalProperties: false },
);
export type ListEventsQuery = Static<typeof ListEventsQuery>;
