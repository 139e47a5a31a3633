import Type, { type Static } from "typebox";
import { runFields } from "../runs/runs.ts";
import { Id, Timestamp } from "../schema/fields.ts";
import { named, oneOf, responseObject } from "../schema/schema.ts";

export const MAX_TOPICS = 50;

const LastEventId = Type.String({
  minLength: 1,
  maxLength: 120,
  description:
    "Id of the last event received, as an alternative to the header `Last-Event-ID`. The stream continues after it.",
});

export const StreamQuery = Type.Object(
  {
    topics: Type.String({
      minLength: 1,
      maxLength: 14_000,
      description:
        "Up to 50 topics separated by commas: `runs`, `run:<id>`, `run_logs:<run id>`, `workflow_runs`, `workflow_run:<id>`, `events`, `event:<key>` (with the key percent-encoded once more), `webhook_deliveries`, `webhook_delivery:<id>`, `batches`, `batch:<id>`.",
    }),
    last_event_id: Type.Optional(LastEventId),
  },
  { additionalProperties: false },
);
export type StreamQuery = Static<typeof StreamQuery>;

export const StreamRunQuery = Type.Object(
  { last_event_id: Type.Optional(LastEventId) },
  { additionalProperties: false },
);
export type StreamRunQuery = Static<typeof StreamRunQuery>;

const CHANGE_TYPES = [
  "run.status",
  "run.progress",
  "run.log",
  "workflow_run.decision",
  "event.status",
  "webhook_delivery.status",
  "batch.progress",
] as const;

export const StreamChange = named(
  "StreamChange",
  Type.Object(
    {
      topics: Type.Array(Type.String(), { description: "The requested topics that the change belongs to." }),
      type: oneOf(CHANGE_TYPES),
      id: Type.String({
        description: "Id of the run, workflow run, event trigger, webhook delivery or batch operation.",
      }),
      at: Timestamp,
      object: Type.Record(Type.String(), Type.Unknown(), {
        description: "The new values of what changed: status, timestamps, progress. Payloads are not included.",
      }),
    },
    { description: "Data of a `change` event in the topic stream." },
  ),
);
export type StreamChange = Static<typeof StreamChange>;

const { payload: _payload, metadata: _metadata, ...runWithoutPayload } = runFields;

export const RunState = responseObject(
  "RunState",
  runWithoutPayload,
  "Data of a `status` event in a run's stream: the run without payload and metadata.",
);
export type RunState = Static<typeof RunState>;

export const RunLogLine = named(
  "RunLogLine",
  Type.Object(
    {
      run_id: Id,
      id: Id,
      attempt: Type.Integer(),
      level: Type.String(),
      message: Type.String(),
      fields: Type.Unknown(),
      logged_at: Timestamp,
      at: Timestamp,
    },
    { description: "Data of a `log` event in a run's stream." },
  ),
);
export type RunLogLine = Static<typeof RunLogLine>;
