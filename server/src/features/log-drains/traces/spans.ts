import { randomBytes } from "node:crypto";
import { attemptSpanId, spanContextOfRun, spanContextOfWorkflowRun, spanId, stepSpanId } from "../../../flow/trace.ts";
import type { SpanContext } from "../../../platform/trace-context.ts";
import { attributes, nanos, otlpBody, resourceOf, SCOPE } from "../otlp.ts";
import type { Formatted } from "../signal.ts";
import type { EndedAttempt, EndedRecord, EndedRun, EndedStep, EndedWorkflowRun } from "./read-ended.ts";

/** Kinds and states of the OpenTelemetry trace data model. */
const KIND = { internal: 1, client: 3 };
const STATE = { unset: 0, ok: 1, error: 2 };

/** One export request. */
export function formatSpans(project_id: string, spans: object[]): Formatted {
  return otlpBody({ resourceSpans: [{ resource: resourceOf(project_id), scopeSpans: [{ scope: SCOPE, spans }] }] });
}

/** The span that a test of a drain sends. */
export function formatTestSpan(project_id: string, now_ms: number, fields: Record<string, unknown>): Formatted {
  const at = new Date(now_ms).toISOString();
  const context = { trace_id: randomBytes(16).toString("hex"), parent_id: null, flags: "01", state: "" };
  const times = { started_at: at, finished_at: at };
  const described = { id: randomBytes(8).toString("hex"), name: "test of this drain", kind: KIND.internal, times };
  return formatSpans(project_id, [span(context, { ...described, status: { code: STATE.ok }, attributes: fields })]);
}

/** A run and its attempts, or a workflow run and its steps, as spans of OTLP/JSON. */
export function spansOf({ id, ended }: EndedRecord): object[] {
  return ended.kind === "run" ? runSpans(id, ended) : workflowSpans(id, ended);
}

function runSpans(id: string, run: EndedRun): object[] {
  const context = spanContextOfRun({ id, ...run });
  const all = run.attempts ?? onlyAttempt(run);
  const own = span(context, {
    id: spanId(id),
    name: `run ${run.job_slug}`,
    kind: KIND.internal,
    times: { started_at: beginOf(run), finished_at: run.finished_at },
    status: statusOf(run),
    attributes: {
      "millrace.run_id": id,
      "millrace.job_id": run.job_id,
      "millrace.job_slug": run.job_slug,
      "millrace.environment_id": run.environment_id,
      "millrace.status": run.status,
      "millrace.trigger_type": run.trigger_type,
      "millrace.attempts": run.attempt,
      "millrace.parent_run_id": run.parent_run_id,
      "millrace.workflow_run_id": run.workflow_run_id,
      "millrace.step_ref": run.step_ref,
      "error.type": run.error?.code,
    },
  });
  return [own, ...all.map((each, index) => attemptSpan(id, run, each, all[index - 1]))];
}

function onlyAttempt({ attempt, started_at, finished_at, status, http_status }: EndedRun): EndedAttempt[] {
  if (attempt === 0 || started_at === null) return [];
  return [{ attempt, started_at, finished_at, to_status: status, outcome: status, http_status }];
}

/** An attempt after another is linked to it. */
function attemptSpan(run_id: string, run: EndedRun, each: EndedAttempt, before: EndedAttempt | undefined): object {
  const context = { ...spanContextOfRun({ id: run_id, ...run }), parent_id: spanId(run_id) };
  const isGood = each.outcome === "drained" || SUSPENDED_OR_DONE.has(each.to_status);
  return span(context, {
    id: attemptSpanId(run_id, each.attempt),
    name: `attempt ${each.attempt}`,
    kind: KIND.client,
    times: each,
    status: isGood ? { code: STATE.ok } : { code: STATE.error, message: each.outcome },
    attributes: {
      "millrace.run_id": run_id,
      "millrace.job_slug": run.job_slug,
      "millrace.attempt": each.attempt,
      "millrace.outcome": each.outcome,
      "http.response.status_code": each.http_status,
    },
    links: before ? [{ traceId: context.trace_id, spanId: attemptSpanId(run_id, before.attempt) }] : [],
  });
}

/** What an attempt without an error leads to; one of an instance that stopped is requeued. */
const SUSPENDED_OR_DONE = new Set(["completed", "waiting", "paused"]);

function workflowSpans(id: string, run: EndedWorkflowRun): object[] {
  const context = spanContextOfWorkflowRun({ id, traceparent: run.traceparent });
  const own = span(context, {
    id: spanId(id),
    name: `workflow ${run.workflow_slug}`,
    kind: KIND.internal,
    times: { started_at: beginOf(run), finished_at: run.finished_at },
    status: statusOf(run),
    attributes: {
      "millrace.workflow_run_id": id,
      "millrace.workflow_id": run.workflow_id,
      "millrace.workflow_slug": run.workflow_slug,
      "millrace.workflow_version": run.version,
      "millrace.environment_id": run.environment_id,
      "millrace.status": run.status,
      "millrace.trigger_type": run.trigger_type,
      "millrace.parent_workflow_run_id": run.workflow_run_id,
      "millrace.parent_step_ref": run.step_ref,
      "error.type": run.error?.code,
    },
  });
  const steps = (run.steps ?? []).map((step) => stepSpan({ ...context, parent_id: spanId(id) }, id, step));
  return [own, ...steps];
}

function stepSpan(context: SpanContext, workflow_run_id: string, step: EndedStep): object {
  return span(context, {
    id: stepSpanId(workflow_run_id, step.step_ref),
    name: `step ${step.step_ref}`,
    kind: KIND.internal,
    times: step,
    status: statusOf(step),
    attributes: {
      "millrace.workflow_run_id": workflow_run_id,
      "millrace.step_ref": step.step_ref,
      "millrace.step_type": step.type,
      "millrace.status": step.status,
      "error.type": step.error?.code,
    },
  });
}

type Ended = { status: string; error: { message?: string } | null };

function statusOf({ status, error }: Ended) {
  if (status === "completed") return { code: STATE.ok };
  if (status === "canceled" || status === "skipped") return { code: STATE.unset };
  return { code: STATE.error, message: error?.message ?? status };
}

/** Includes the time in the queue, but not that before it was due. */
function beginOf({ created_at, scheduled_at, started_at, finished_at }: EndedRun | EndedWorkflowRun): string {
  const due_ms = Math.max(Date.parse(created_at), Date.parse(scheduled_at));
  return new Date(Math.min(due_ms, Date.parse(started_at ?? finished_at))).toISOString();
}

type Described = {
  id: string;
  name: string;
  kind: number;
  times: { started_at: string; finished_at: string };
  status: object;
  attributes: Record<string, unknown>;
  links?: object[];
};

function span({ trace_id, parent_id, flags, state }: SpanContext, described: Described): object {
  const { id, name, kind, times, status, links = [] } = described;
  return {
    traceId: trace_id,
    spanId: id,
    ...(parent_id && { parentSpanId: parent_id }),
    ...(state && { traceState: state }),
    flags: Number.parseInt(flags, 16),
    name,
    kind,
    startTimeUnixNano: nanos(times.started_at),
    endTimeUnixNano: nanos(times.finished_at),
    attributes: attributes(described.attributes),
    status,
    ...(links.length > 0 && { links }),
  };
}
