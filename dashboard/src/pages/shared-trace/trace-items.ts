import type { TraceSpan } from "@millrace/contract/runs/traces";
import type { TraceItem } from "../../parts/trace/trace-types.ts";

export type Span = Omit<TraceSpan, "$schema">;

/** What a trace is of: `run` and the id of a run, or `workflow_run` and that of a workflow run. */
export type TraceOf = { type: "run" | "workflow_run"; id: string };

/** The run or workflow run whose trace is loaded below a span when the span is expanded. */
export function traceBelow({ run_id, workflow_run_id }: Span): TraceOf | undefined {
  if (run_id !== null) return { type: "run", id: run_id };
  return workflow_run_id === null ? undefined : { type: "workflow_run", id: workflow_run_id };
}

export type Loaded = ReadonlyMap<string, readonly Span[] | "loading">;

export type Traced = { items: TraceItem[]; spanOf: ReadonlyMap<string, Span> };

type Parent = { id: string; from: number; to: number | null };

/** A trace and those loaded below it, as one list. */
export function itemsOf(spans: readonly Span[], loaded: Loaded): Traced {
  const items: TraceItem[] = [];
  const spanOf = new Map<string, Span>();
  const add = (list: readonly Span[], below: Parent | undefined) => {
    const root = list.find(({ parent_id }) => parent_id === null);
    const places = new Map(list.map((span) => [span.id, placeOf(span)]));
    for (const span of list) {
      // A nested trace's root is the span that was expanded, which already has a row.
      if (below && span === root) continue;
      const parentId = below && span.parent_id === root?.id ? below.id : span.parent_id;
      const of = span === root ? undefined : traceBelow(span);
      const child = of && loaded.get(of.id);
      items.push({
        id: span.id,
        parentId,
        kind: span.kind,
        label: span.name,
        note: noteOf(span),
        status: span === root && onlyWaits(list, root) ? "waiting" : shownStatus(span),
        ...within(placeOf(span), places.get(span.parent_id ?? "")),
        isIdle: isIdle(span),
        isMoment: MOMENTS.has(span.kind),
        isLazy: of !== undefined,
        isLoading: child === "loading",
      });
      spanOf.set(span.id, span);
      if (Array.isArray(child)) add(child, { id: span.id, ...placeOf(span) });
    }
  };
  add(spans, undefined);
  return { items, spanOf };
}

const MOMENTS: ReadonlySet<string> = new Set(["log", "checkpoint"]);
const IDLE: ReadonlySet<string> = new Set(["queue", "backoff", "pause", "wait"]);
const IDLE_STEPS: ReadonlySet<unknown> = new Set(["wait_for_event", "sleep", "approval"]);

function isIdle({ kind, attributes }: Span): boolean {
  return IDLE.has(kind) || (kind === "workflow_step" && IDLE_STEPS.has(attributes.type));
}

/** What a workflow step waits for. Waits of a run already say it in their name. */
function noteOf({ kind, status, attributes: { type, event_key, message } }: Span): string | undefined {
  if (kind !== "workflow_step") return undefined;
  const isWaiting = status === "waiting";
  if (type === "wait_for_event" && typeof event_key === "string")
    return isWaiting ? `Waiting for event ${event_key}` : `Event ${event_key}`;
  if (type !== "approval" || !isWaiting) return undefined;
  return typeof message === "string" ? `Waiting for approval: ${message}` : "Waiting for approval";
}

/** A workflow run has no status of its own for it: all that is open in it waits. */
function onlyWaits(list: readonly Span[], { id, kind, status }: Span): boolean {
  if (kind !== "workflow_run" || status !== "running") return false;
  const open = list.filter(({ parent_id, finished_at }) => parent_id === id && finished_at === null);
  return open.length > 0 && open.every((span) => span.status === "waiting");
}

/** As in lists, a sleep is not shown as a wait for an event. */
function shownStatus({ kind, status, attributes }: Span): string {
  const isSleep = attributes.wait_kind === "sleep" || attributes.type === "sleep";
  return isSleep && status === "waiting" ? "sleeping" : kind === "wait" && status === "received" ? "completed" : status;
}

type Place = { from: number; to: number | null };

function placeOf({ started_at, finished_at }: Span): Place {
  return { from: Date.parse(started_at), to: finished_at === null ? null : Date.parse(finished_at) };
}

/** Reported times come from the job's clock, which may differ, so they are clamped to their attempt. */
function within({ from, to }: Place, parent: Place | undefined): Place {
  if (!parent) return { from, to };
  const last = parent.to ?? Number.POSITIVE_INFINITY;
  const start = Math.min(Math.max(from, parent.from), last);
  return { from: start, to: to === null ? null : Math.max(start, Math.min(to, last)) };
}
