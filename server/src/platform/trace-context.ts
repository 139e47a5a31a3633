/** A W3C trace context in its canonical form: `00-<trace id>-<span id>-<flags>`. */
export type Traceparent = string;

const HEADER = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/;

/** The context of a request. Null: none, or one that the standard says to ignore. */
export function readTraceparent(header: string | string[] | undefined): Traceparent | null {
  if (typeof header !== "string") return null;
  const [, trace_id, span_id, flags] = HEADER.exec(header) ?? [];
  return flags === undefined ? null : `00-${trace_id}-${span_id}-${flags}`;
}

/** The context of a span in its trace. `parent_id` null: it is the root. */
export type SpanContext = { trace_id: string; parent_id: string | null; flags: string };

export function spanContextBelow(traceparent: Traceparent): SpanContext {
  return { trace_id: traceparent.slice(3, 35), parent_id: traceparent.slice(36, 52), flags: traceparent.slice(53) };
}

/** The context that a span propagates to what it starts. */
export function contextOf({ trace_id, flags }: SpanContext, span_id: string): Traceparent {
  return `00-${trace_id}-${span_id}-${flags}`;
}
