import { randomBytes } from "node:crypto";
import { attemptSpanId, spanContextOfRun, spanContextOfWorkflowRun, spanId, stepSpanId } from "../../../flow/trace.ts";
import type { SpanContext } from "../../../platform/trace-context.ts";
import { attributes, nanos, quoted } from "../otlp.ts";
import type { Request } from "../send-records.ts";
import type { EndedAttempt, EndedRun, EndedStep, EndedWorkflowRun } from "./read-ended.ts";
import { formatSpans, unwritten } from "./unwritten-spans.ts";

/** Kinds and states of the OpenTelemetry trace data model. */
const KIND = { internal: 1, client: 3 };
const STATE = { unset: 0, ok: 1, error: 2 };
const [UNSET, OK] = [statusText(STATE.unset), statusText(STATE.ok)];

/** The span that a test of a drain sends. */
export function formatTestSpan(project_id: string, now_ms: number, fields: Record<string, unknown>): Request {
  const context = { trace_id: randomBytes(16).toString("hex"), parent_id: null, flags: "01", state: "" };
  const times = { started_ms: now_ms, finished_ms: now_ms };
  const described = { id: randomBytes(8).toString("hex"), name: "test of this drain", kind: KIND.internal, times };
  return formatSpans(project_id, [unwritten(span(context, { ...described, status: OK, attributes: fields }))]);
}

/** A run and its attempts, as spans of OTLP/JSON. */
export function runSpans(run: EndedRun): string {
  const context = spanContextOfRun(run);
  const own = span(context, {
    id: spanId(run.id),
    name: `run ${run.job_slug}`,
    kind: KIND.internal,
    times: { started_ms: run.began_ms, finished_ms: run.finished_ms },
    status: statusOf(run),
    attributes: {
      "millrace.run_id": run.id,
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
  const below = { ...context, parent_id: spanId(run.id) };
  const all = run.attempts ?? onlyAttempt(run);
  return [own, ...all.map((each, nth) => attemptSpan(below, { run, each, before: all[nth - 1] }))].join(",");
}

function onlyAttempt({ attempt, started_ms, finished_ms, status, http_status }: EndedRun): EndedAttempt[] {
  if (attempt === 0 || started_ms === null) return [];
  return [{ attempt, started_ms, finished_ms, to_status: status, outcome: status, http_status }];
}

type Attempted = { run: EndedRun; each: EndedAttempt; before: EndedAttempt | undefined };

/** An attempt after another is linked to it. */
function attemptSpan(context: SpanContext, { run, each, before }: Attempted): string {
  const isGood = each.outcome === "drained" || SUSPENDED_OR_DONE.has(each.to_status);
  return span(context, {
    id: attemptSpanId(run.id, each.attempt),
    name: `attempt ${each.attempt}`,
    kind: KIND.client,
    times: each,
    status: isGood ? OK : statusText(STATE.error, each.outcome),
    attributes: {
      "millrace.run_id": run.id,
      "millrace.job_slug": run.job_slug,
      "millrace.attempt": each.attempt,
      "millrace.outcome": each.outcome,
      "http.response.status_code": each.http_status,
    },
    links: before ? [{ traceId: context.trace_id, spanId: attemptSpanId(run.id, before.attempt) }] : [],
  });
}

/** What an attempt without an error leads to; one of an instance that stopped is requeued. */
const SUSPENDED_OR_DONE = new Set(["completed", "waiting", "paused"]);

/** A workflow run and its steps, as spans of OTLP/JSON. */
export function workflowSpans(run: EndedWorkflowRun): string {
  const context = spanContextOfWorkflowRun(run);
  const own = span(context, {
    id: spanId(run.id),
    name: `workflow ${run.workflow_slug}`,
    kind: KIND.internal,
    times: { started_ms: run.began_ms, finished_ms: run.finished_ms },
    status: statusOf(run),
    attributes: {
      "millrace.workflow_run_id": run.id,
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
  const below = { ...context, parent_id: spanId(run.id) };
  return [own, ...(run.steps ?? []).map((step) => stepSpan(below, run.id, step))].join(",");
}

function stepSpan(context: SpanContext, workflow_run_id: string, step: EndedStep): string {
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

type Outcome = { status: string; error: { message?: string } | null };

function statusOf({ status, error }: Outcome): string {
  if (status === "completed") return OK;
  if (status === "canceled" || status === "skipped") return UNSET;
  return statusText(STATE.error, error?.message ?? status);
}

function statusText(code: number, message?: string): string {
  return JSON.stringify({ code, message });
}

type Described = {
  id: string;
  name: string;
  kind: number;
  times: { started_ms: number; finished_ms: number };
  /** As JSON. */
  status: string;
  attributes: Record<string, unknown>;
  links?: object[];
};

function span({ trace_id, parent_id, flags, state }: SpanContext, described: Described): string {
  const { id, name, kind, times, status, links = [] } = described;
  const parent = parent_id ? `,"parentSpanId":"${parent_id}"` : "";
  const traceState = state ? `,"traceState":${quoted(state)}` : "";
  const linked = links.length > 0 ? `,"links":${JSON.stringify(links)}` : "";
  return (
    `{"traceId":"${trace_id}","spanId":"${id}"${parent}${traceState},"flags":${Number.parseInt(flags, 16)}` +
    `,"name":${quoted(name)},"kind":${kind},"startTimeUnixNano":${nanos(times.started_ms)}` +
    `,"endTimeUnixNano":${nanos(times.finished_ms)},${attributes(described.attributes)},"status":${status}${linked}}`
  );
}
