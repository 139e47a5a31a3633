import type { IncomingHttpHeaders } from "node:http";

/** A W3C trace context: `00-<trace id>-<span id>-<flags>`, and after a space the `tracestate` of the caller, if any. */
export type TraceContext = string;

const HEADER = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/;
const MEMBER = /^[a-z0-9][a-z0-9_\-*/@]{0,255}=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/;
const MAX_MEMBERS = 32;
const MAX_STATE_LENGTH = 512; // what the standard asks everyone to pass on

/** The context of a request. Null: none, or one that the standard says to ignore. */
export function readTraceContext({ traceparent, tracestate }: IncomingHttpHeaders): TraceContext | null {
  if (typeof traceparent !== "string") return null;
  const [, trace_id, span_id, flags] = HEADER.exec(traceparent) ?? [];
  return flags === undefined ? null : join(`00-${trace_id}-${span_id}-${flags}`, readState(tracestate));
}

/** Empty if it is malformed. One that is too long loses its last members, which are the oldest. */
function readState(header: string | string[] | undefined): string {
  if (header === undefined) return "";
  const members = String(header)
    .split(",")
    .map((member) => member.trim())
    .filter((member) => member !== "");
  const keys = new Set(members.map((member) => member.split("=", 1)[0]));
  const isValid = members.length <= MAX_MEMBERS && keys.size === members.length;
  if (!isValid || !members.every((member) => MEMBER.test(member))) return "";
  while (members.join(",").length > MAX_STATE_LENGTH) members.pop();
  return members.join(",");
}

function join(traceparent: string, state: string): TraceContext {
  return state === "" ? traceparent : `${traceparent} ${state}`;
}

/** The context of a span in its trace. `parent_id` null: it is the root. `state` empty: the caller sent none. */
export type SpanContext = { trace_id: string; parent_id: string | null; flags: string; state: string };

export function spanContextBelow(context: TraceContext): SpanContext {
  const [trace_id, parent_id] = [context.slice(3, 35), context.slice(36, 52)];
  return { trace_id, parent_id, flags: context.slice(53, 55), state: context.slice(56) };
}

/** The context that a span propagates to what it starts. */
export function contextOf({ trace_id, flags, state }: SpanContext, span_id: string): TraceContext {
  return join(`00-${trace_id}-${span_id}-${flags}`, state);
}

/** The headers that carry a context. */
export function traceHeaders(context: TraceContext): { traceparent: string; tracestate?: string } {
  const [traceparent, tracestate] = [context.slice(0, 55), context.slice(56)];
  return tracestate === "" ? { traceparent } : { traceparent, tracestate };
}
