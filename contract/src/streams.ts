import Type, { type Static } from "typebox";
import { Id, Timestamp } from "./fields.ts";
import { runFields } from "./runs.ts";
import { answerObject, named, oneOf } from "./schema.ts";

export const MOST_TOPICS = 50;

const LastEventId = Type.String({
  minLength: 1,
  maxLength: 120,
  description:
    "The id of the last event that came, in place of the header `Last-Event-ID`: the stream goes on behind it.",
});

export const StreamQuery = Type.Object(
  {
    topics: Type.String({
      minLength: 1,
      maxLength: 14_000,
      description:
        "Up to 50 with commas between them: `runs`, `run:<id>`, `run_logs:<run id>`, `workflow_runs`, `workflow_run:<id>`, `events`, `event:<key>` (the key percent-encoded once more), `webhook_deliveries`, `webhook_delivery:<id>`, `batches`, `batch:<id>`.",
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
      topics: Type.Array(Type.String(), { description: "Those of the asked topics that it belongs to." }),
      type: oneOf(CHANGE_TYPES),
      id: Type.String({
        description: "Of the object: run, workflow run, event trigger, webhook delivery or batch operation.",
      }),
      at: Timestamp,
      object: Type.Record(Type.String(), Type.Unknown(), {
        description: "What changed, and how it is now: status, times, progress. No payloads.",
      }),
    },
    { description: "What `change` carries in the stream of topics." },
  ),
);
export type StreamChange = Static<typeof StreamChange>;

const { payload: _payload, metadata: _metadata, ...runWithoutPayload } = runFields;

export const RunState = answerObject(
  "RunState",
  runWithoutPayload,
  "What `status` carries in the stream of a run: the run without its payload and metadata.",
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
    { description: "What `log` carries in the stream of a run." },
  ),
);
export type RunLogLine = Static<typeof RunLogLine>;
