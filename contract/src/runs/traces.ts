import Type, { type Static } from "typebox";
import { Cursor, Id, Timestamp } from "../schema/fields.ts";
import { listOf, nullable, oneOf, responseObject } from "../schema/schema.ts";

/** What happened in a run or a workflow run, as spans of time. */

export const SPAN_KINDS = [
  "run",
  "workflow_run",
  "workflow_step",
  "map_item",
  "compensation",
  "queue",
  "attempt",
  "backoff",
  "pause",
  "wait",
  "step",
  "tool_call",
  "checkpoint",
  "log",
] as const;
export type SpanKind = (typeof SPAN_KINDS)[number];

/** Longer texts are cut, and larger JSON is left out: the lists of the run have all of it. */
export const MAX_SPAN_TEXT = 1_000;
export const MAX_SPAN_JSON_BYTES = 2_000;
export const MAX_TRACE_PAGE = 500;

export const TraceSpan = responseObject(
  "TraceSpan",
  {
    id: Type.String({ description: "Unique in the trace, and the same in every response." }),
    parent_id: nullable(Type.String({ description: "The span that this one is part of. It may be on another page." })),
    kind: oneOf(
      SPAN_KINDS,
      "`queue` and `backoff` are time in the queue, `step` is a step of a job (`ctx.step`), `checkpoint` and `log` are points in time.",
    ),
    name: Type.String(),
    status: Type.String({ description: "Status of the object that the span shows; for a log line, its level." }),
    started_at: Timestamp,
    finished_at: nullable(Type.String({ format: "date-time", description: "Null: still open." })),
    attempt: nullable(Type.Integer()),
    run_id: nullable({ ...Id, description: "The run that the span shows or started: it has a trace of its own." }),
    workflow_run_id: nullable({
      ...Id,
      description: "The workflow run that the span shows or started: it has a trace of its own.",
    }),
    attributes: Type.Record(Type.String(), Type.Unknown(), {
      description: `Further fields of what the span shows. Texts are cut after ${MAX_SPAN_TEXT} characters, and JSON of more than ${MAX_SPAN_JSON_BYTES} bytes is left out.`,
    }),
    created_at: Timestamp,
  },
  "A span, or a point in time, of a run or a workflow run.",
);
export type TraceSpan = Static<typeof TraceSpan>;
export const TraceSpanList = listOf("TraceSpanList", TraceSpan);

export const ListTraceQuery = Type.Object(
  {
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MAX_TRACE_PAGE, default: 200, description: "Page size." }),
    ),
    cursor: Type.Optional(Cursor),
  },
  { additionalProperties: false },
);
export type ListTraceQuery = Static<typeof ListTraceQuery>;
