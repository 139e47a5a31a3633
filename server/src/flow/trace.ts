import { createHash } from "node:crypto";
import { contextOf, type SpanContext, spanContextBelow, type TraceContext } from "../platform/trace-context.ts";

/**
 * Spans get their ids from the rows that they describe, so that a dispatch, a child and the export agree without
 * storing them. A run stores a `traceparent` only if its trace began outside of it and, for the run of a step,
 * outside of its workflow run.
 */
export type TracedRun = {
  id: string;
  workflow_run_id: string | null;
  step_ref: string | null;
  traceparent: TraceContext | null;
};

/** Where a run is in its trace: below its caller, its parent or its step. */
export function spanContextOfRun({ id, workflow_run_id, step_ref, traceparent }: TracedRun): SpanContext {
  if (traceparent) return spanContextBelow(traceparent);
  if (workflow_run_id === null || step_ref === null) return rootOf(id);
  return { ...rootOf(workflow_run_id), parent_id: stepSpanId(workflow_run_id, step_ref) };
}

type TracedWorkflowRun = { id: string; traceparent: TraceContext | null };

export function spanContextOfWorkflowRun({ id, traceparent }: TracedWorkflowRun): SpanContext {
  return traceparent ? spanContextBelow(traceparent) : rootOf(id);
}

function rootOf(id: string): SpanContext {
  return { trace_id: id.replaceAll("-", ""), parent_id: null, flags: "01", state: "" };
}

/** The span of a run or workflow run. */
export function spanId(id: string): string {
  return attemptSpanId(id, 0);
}

export function attemptSpanId(run_id: string, attempt: number): string {
  return `${run_id.slice(-12)}${(attempt % 65_536).toString(16).padStart(4, "0")}`;
}

/** Items and compensations belong to the span of their step. */
export function stepSpanId(workflow_run_id: string, step_ref: string): string {
  const [step = step_ref] = step_ref.split(/[[:]/, 1);
  return createHash("sha256").update(`${workflow_run_id}/${step}`).digest("hex").slice(0, 16);
}

/** The trace context of a run that starts because another one failed. */
export function contextOfRun(run: TracedRun): TraceContext {
  return contextOf(spanContextOfRun(run), spanId(run.id));
}

export function contextOfWorkflowRun(run: TracedWorkflowRun): TraceContext {
  return contextOf(spanContextOfWorkflowRun(run), spanId(run.id));
}

/** The context that an attempt propagates to its endpoint and to the runs that it starts. */
export function contextOfAttempt(run: TracedRun, attempt: number): TraceContext {
  return contextOf(spanContextOfRun(run), attemptSpanId(run.id, attempt));
}

/** The context that a step propagates to its run. Null: it follows from the run's own columns. */
export function contextOfStep(run: TracedWorkflowRun, step_ref: string): TraceContext | null {
  return run.traceparent === null ? null : contextOfChild(run, step_ref);
}

/** The context that a step propagates to its workflow run. */
export function contextOfChild(run: TracedWorkflowRun, step_ref: string): TraceContext {
  return contextOf(spanContextOfWorkflowRun(run), stepSpanId(run.id, step_ref));
}
