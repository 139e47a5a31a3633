import { randomBytes } from "node:crypto";
import { attemptSpanId, spanContextOfRun, spanContextOfWorkflowRun, spanId, stepSpanId } from "../../../flow/trace.ts";
import type { SpanContext } from "../../../platform/trace-context.ts";
import { nanos, otlpText, resourceOf, SCOPE } from "../otlp.ts";
import type { Formatted } from "../signal.ts";
import type { EndedAttempt, EndedRecord, EndedRun, EndedStep, EndedWorkflowRun } from "./read-ended.ts";

/** Kinds and states of the OpenTelemetry trace data model. */
const KIND = { internal: 1, client: 3 };
const STATE = { unset: 0, ok: 1, error: 2 };
const [UNSET, OK] = [statusText(STATE.unset), statusText(STATE.ok)];

const SCOPE_TEXT = JSON.stringify(SCOPE);

/** One export request, of spans as JSON. */
export function formatSpans(project_id: string, spans: readonly string[]): Formatted {
  const resource = JSON.stringify(resourceOf(project_id));
  const scopeSpans = `[{"scope":${SCOPE_TEXT},"spans":[${spans.join(",")}]}]`;
  return otlpText(`{"resourceSpans":[{"resource":${resource},"scopeSpans":${scopeSpans}}]}`);
}

/** The span that a test of a drain sends. */
export function formatTestSpan(project_id: string, now_ms: number, fields: Attributes): Formatted {
  const context = { trace_id: randomBytes(16).toString("hex"), parent_id: null, flags: "01", state: "" };
  const times = { started_at: now_ms, finished_at: now_ms };
  const described = { id: randomBytes(8).toString("hex"), name: "test of this drain", kind: KIND.internal, times };
  return formatSpans(project_id, [span(context, { ...described, status: OK, attributes: fields })]);
}

/** A run and its attempts, or a workflow run and its steps, as spans of OTLP/JSON. */
export function spansOf({ id, ended }: EndedRecord): string[] {
  return ended.kind === "run" ? runSpans(id, ended) : workflowSpans(id, ended);
}

function runSpans(id: string, run: EndedRun): string[] {
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
  const below = { ...context, parent_id: spanId(id) };
  return [own, ...all.map((each, index) => attemptSpan(below, { id, run, each, before: all[index - 1] }))];
}

function onlyAttempt({ attempt, started_at, finished_at, status, http_status }: EndedRun): EndedAttempt[] {
  if (attempt === 0 || started_at === null) return [];
  return [{ attempt, started_at, finished_at, to_status: status, outcome: status, http_status }];
}

type Attempted = { id: string; run: EndedRun; each: EndedAttempt; before: EndedAttempt | undefined };

/** An attempt after another is linked to it. */
function attemptSpan(context: SpanContext, { id, run, each, before }: Attempted): string {
  const isGood = each.outcome === "drained" || SUSPENDED_OR_DONE.has(each.to_status);
  return span(context, {
    id: attemptSpanId(id, each.attempt),
    name: `attempt ${each.attempt}`,
    kind: KIND.client,
    times: each,
    status: isGood ? OK : statusText(STATE.error, each.outcome),
    attributes: {
      "millrace.run_id": id,
      "millrace.job_slug": run.job_slug,
      "millrace.attempt": each.attempt,
      "millrace.outcome": each.outcome,
      "http.response.status_code": each.http_status,
    },
    links: before ? [{ traceId: context.trace_id, spanId: attemptSpanId(id, before.attempt) }] : [],
  });
}

/** What an attempt without an error leads to; one of an instance that stopped is requeued. */
const SUSPENDED_OR_DONE = new Set(["completed", "waiting", "paused"]);

function workflowSpans(id: string, run: EndedWorkflowRun): string[] {
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

type Ended = { status: string; error: { message?: string } | null };

function statusOf({ status, error }: Ended): string {
  if (status === "completed") return OK;
  if (status === "canceled" || status === "skipped") return UNSET;
  return statusText(STATE.error, error?.message ?? status);
}

function statusText(code: number, message?: string): string {
  return JSON.stringify({ code, message });
}

/** Includes the time in the queue, but not that before it was due. */
function beginOf({ created_at, scheduled_at, started_at, finished_at }: EndedRun | EndedWorkflowRun): number {
  const created_ms = Date.parse(created_at);
  const due_ms = scheduled_at === created_at ? created_ms : Math.max(created_ms, Date.parse(scheduled_at));
  return Math.min(due_ms, Date.parse(started_at ?? finished_at));
}

type Attributes = Record<string, string | number | boolean | null | undefined>;
type Described = {
  id: string;
  name: string;
  kind: number;
  times: { started_at: string | number; finished_at: string | number };
  status: string;
  attributes: Attributes;
  links?: object[];
};

/** As text: objects for every attribute of every span would cost five times as much. */
function span({ trace_id, parent_id, flags, state }: SpanContext, described: Described): string {
  const { id, name, kind, times, status, links = [] } = described;
  const parent = parent_id ? `,"parentSpanId":"${parent_id}"` : "";
  const traceState = state ? `,"traceState":${quoted(state)}` : "";
  const linked = links.length > 0 ? `,"links":${JSON.stringify(links)}` : "";
  return (
    `{"traceId":"${trace_id}","spanId":"${id}"${parent}${traceState},"flags":${Number.parseInt(flags, 16)}` +
    `,"name":${quoted(name)},"kind":${kind},"startTimeUnixNano":"${nanos(times.started_at)}"` +
    `,"endTimeUnixNano":"${nanos(times.finished_at)}","attributes":[${attributesText(described.attributes)}]` +
    `,"status":${status}${linked}}`
  );
}

/** The keys are constants of this file; values that are absent are left out, as the protocol requires. */
function attributesText(values: Attributes): string {
  let text = "";
  for (const key in values) {
    const value = values[key];
    if (value === null || value === undefined) continue;
    text += `${text && ","}{"key":"${key}","value":{${typedText(value)}}}`;
  }
  return text;
}

function typedText(value: string | number | boolean): string {
  if (typeof value === "number") return `"intValue":"${value}"`;
  return typeof value === "boolean" ? `"boolValue":${value}` : `"stringValue":${quoted(value)}`;
}

const PLAIN = /^[\w .,:;/@()+=-]*$/;

/** As JSON. Ids, slugs and states are most of the texts, and have nothing to escape. */
function quoted(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}
