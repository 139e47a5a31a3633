import { isSuspend, type Suspend } from "./job-errors.ts";
import type { AttemptCall, Middleware, StepCall } from "./serve/middleware.ts";

/**
 * A span of OpenTelemetry, as far as this entry point uses it.
 *
 * @example
 * const span: OtelSpan = api.trace.getTracer("my-app").startSpan("render");
 * span.end();
 */
export type OtelSpan = {
  setAttribute(name: string, value: string | number | boolean): unknown;
  setStatus(status: { code: number; message?: string }): unknown;
  recordException(error: Error): void;
  end(): void;
};

/**
 * The module `@opentelemetry/api`, as far as this entry point uses it. Contexts are passed through unchanged, and the
 * module is an argument, so that nothing needs to be installed for the types.
 *
 * @example
 * const middleware = (openTelemetry: OtelApi) => [otel({ api: openTelemetry })];
 */
export type OtelApi = {
  trace: {
    getTracer(name: string): { startSpan(name: string, options: SpanOptions, context: unknown): OtelSpan };
    getSpan(context: unknown): unknown;
    setSpan(context: unknown, span: unknown): unknown;
    setSpanContext(context: unknown, parent: RemoteParent): unknown;
  };
  createTraceState?(header: string): TraceState;
  context: { active(): unknown; with<T>(context: unknown, work: () => T): T };
};

type Attributes = Record<string, string | number>;
type SpanOptions = { kind: number; attributes: Attributes };
type RemoteParent = { traceId: string; spanId: string; traceFlags: number; isRemote: boolean; traceState?: TraceState };
type TraceState = {
  get(key: string): string | undefined;
  set(key: string, value: string): TraceState;
  unset(key: string): TraceState;
  serialize(): string;
};

/** Numbers of `SpanKind` and `SpanStatusCode` in the OpenTelemetry API. */
const KIND = { internal: 0, consumer: 4 };
const STATUS_ERROR = 2;

/**
 * A middleware that traces every attempt and every step as a span. The spans of a run form one trace, which the
 * dispatch starts with its headers `traceparent` and `tracestate`; a span that is already active, such as that of an instrumented HTTP
 * server, is the parent instead.
 *
 * @example
 * import * as api from "@opentelemetry/api";
 * import { serve } from "@millrace/sdk/node";
 *
 * serve({ jobs: [sendMail], middleware: [otel({ api })] });
 */
export function otel({ api, tracerName = "@millrace/sdk" }: { api: OtelApi; tracerName?: string }): Middleware {
  const tracer = api.trace.getTracer(tracerName);
  /** Parents of steps where no context manager carries the active span through `await`. */
  const contexts = new WeakMap<object, unknown>();
  const parentOf = (other: unknown) => {
    const active = api.context.active();
    return api.trace.getSpan(active) === undefined ? other : active;
  };

  return {
    aroundAttempt: (attempt, next) => {
      const remote = remoteParent(attempt.header("traceparent"));
      const state = attempt.header("tracestate");
      if (remote && state && api.createTraceState) remote.traceState = api.createTraceState(state);
      const outside = api.context.active();
      const parent = parentOf(remote ? api.trace.setSpanContext(outside, remote) : outside);
      const options = { kind: KIND.consumer, attributes: attributesOf(attempt) };
      const span = tracer.startSpan(`attempt ${attempt.job.id}`, options, parent);
      const inside = api.trace.setSpan(parent, span);
      contexts.set(attempt.ctx, inside);
      return api.context.with(inside, () => endWith(span, next));
    },
    aroundStep: (step, next) => {
      const parent = parentOf(contexts.get(step.ctx) ?? api.context.active());
      const options = { kind: KIND.internal, attributes: { ...attributesOf(step), "millrace.step_id": step.id } };
      const span = tracer.startSpan(`step ${step.id}`, options, parent);
      return api.context.with(api.trace.setSpan(parent, span), () => endWith(span, next));
    },
  };
}

/** A suspension is not an error: the job is called again when the wait ends. */
async function endWith(span: OtelSpan, next: () => Promise<unknown>): Promise<unknown> {
  try {
    return await next();
  } catch (error) {
    if (isSuspend(error)) span.setAttribute("millrace.suspended_by", (error as Suspend).wait);
    else {
      span.recordException(error instanceof Error ? error : new Error(String(error)));
      span.setStatus({ code: STATUS_ERROR, message: error instanceof Error ? error.message : String(error) });
    }
    throw error;
  } finally {
    span.end();
  }
}

/** The names of the service's OTLP log drain. */
function attributesOf({ ctx: { run } }: AttemptCall | StepCall): Attributes {
  return {
    "millrace.project_id": run.projectId,
    "millrace.job_slug": run.jobSlug,
    "millrace.run_id": run.id,
    "millrace.attempt": run.attempt,
    ...(run.workflowRunId !== undefined && { "millrace.workflow_run_id": run.workflowRunId }),
    ...(run.stepRef !== undefined && { "millrace.step_ref": run.stepRef }),
  };
}

/** W3C Trace Context: `00-<trace id>-<span id>-<flags>`. */
function remoteParent(header: string | undefined): RemoteParent | undefined {
  const [, version, traceId = "", spanId = "", flags = ""] =
    /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/.exec(header?.trim() ?? "") ?? [];
  if (version === undefined || version === "ff" || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
}
