import { MAX_MESSAGE_CHARACTERS } from "@millrace/contract/step-runs";
import { parseDuration } from "../../../platform/time/duration.ts";
import { hasTakenLong } from "../../../platform/time-slices.ts";
import { type Rendered, renderTemplate, renderText } from "../../templates/render-template.ts";
import { eventKeyIssue } from "../../waits/send/event-key.ts";
import type { ApprovalStep, JobStep, StepDefinition, SubWorkflowStep, WaitStep } from "./definition.ts";
import type { RenderedStep, StepError } from "./graph-types.ts";
import { renderMap } from "./render-map.ts";

export type StepScope = { payload: unknown; parent_outputs: Record<string, unknown> };
export type StepRendering = { ok: true; rendered: RenderedStep } | { ok: false; error: StepError };

/**
 * Renders the templates of a step that is about to start, or returns the reason why it cannot. Yields while it merges a
 * large payload.
 */
export function* renderStep(step: StepDefinition, scope: StepScope): Generator<void, StepRendering> {
  switch (step.type) {
    case "job":
      return yield* renderJob(step, scope);
    case "wait_for_event":
      return renderWait(step, scope);
    case "sleep":
      return renderSleep(step.sleep_duration);
    case "approval":
      return renderApproval(step, scope);
    case "map":
      return renderMap(step, scope);
    case "sub_workflow":
      return yield* renderSubWorkflow(step, scope);
  }
}

function* renderJob(step: JobStep, scope: StepScope): Generator<void, StepRendering> {
  const payload = yield* renderPayload(step.payload, scope);
  if (!payload.ok) return notRendered(payload);
  const key = renderOptional(step.concurrency_key, scope, "concurrency_key");
  if (!key.ok) return notRendered(key);
  if (key.value !== null && !isConcurrencyKey(key.value)) {
    return failed("invalid_concurrency_key", "the rendered concurrency_key must have 1 to 256 characters");
  }
  const { parent_outputs } = scope;
  return rendered({ type: "job", payload: payload.value, parent_outputs, concurrency_key: key.value });
}

/** An object is merged over the payload of the run, field by field; anything else replaces it. */
function* renderPayload(template: unknown, scope: StepScope): Generator<void, Rendered<unknown>> {
  if (template === null || template === undefined) return { ok: true, value: scope.payload };
  const own = renderTemplate(template, scope, "payload");
  if (!own.ok || !isObject(own.value) || !isObject(scope.payload)) return own;
  if (hasTakenLong()) yield;
  return { ok: true, value: yield* merge(scope.payload, own.value) };
}

/** Above this number of names, copying an object takes milliseconds. */
const MANY_NAMES = 1_000;

/** Field by field, for `inSlices`: in one go 49,000 names take 60 ms. */
function* merge(below: object, above: object): Generator<void, object> {
  const names = [Object.keys(below), Object.keys(above)] as const;
  if (names[0].length + names[1].length <= MANY_NAMES) return { ...below, ...above };
  if (names[0].length === 0) return above;
  if (names[1].length === 0) return below;
  yield;
  const merged = new Map<string, unknown>();
  for (const [i, fields] of [below, above].entries()) {
    for (const [nth, name] of (names[i] ?? []).entries()) {
      merged.set(name, (fields as Record<string, unknown>)[name]);
      if (nth % MANY_NAMES === 0) yield;
    }
  }
  // Defines own properties, so a key such as __proto__ stays data.
  return Object.fromEntries(merged);
}

function renderWait(step: WaitStep, scope: StepScope): StepRendering {
  const key = renderText(step.event_key, scope, "event_key");
  if (!key.ok) return notRendered(key);
  const issue = eventKeyIssue(key.value);
  if (issue !== undefined) return failed("invalid_event_key", `the rendered event_key ${issue}`);
  return rendered({ type: "wait_for_event", event_key: key.value });
}

function renderSleep(sleep_duration: string): StepRendering {
  const duration = parseDuration(sleep_duration);
  if (!duration.ok) return failed("invalid_duration", `sleep_duration ${duration.message}`);
  return rendered({ type: "sleep", secs: duration.secs });
}

function* renderSubWorkflow(step: SubWorkflowStep, scope: StepScope): Generator<void, StepRendering> {
  const payload = yield* renderPayload(step.payload, scope);
  return payload.ok ? rendered({ type: "sub_workflow", payload: payload.value }) : notRendered(payload);
}

function renderApproval(step: ApprovalStep, scope: StepScope): StepRendering {
  const message = renderOptional(step.message, scope, "message");
  if (!message.ok) return notRendered(message);
  return rendered({ type: "approval", message: message.value === null ? null : shortened(message.value) });
}

/** It is shown to people, and every stream of the run carries it: a template may have put a megabyte there. */
function shortened(message: string): string {
  if (message.length <= MAX_MESSAGE_CHARACTERS) return message;
  return `${message.slice(0, MAX_MESSAGE_CHARACTERS - 1).toWellFormed()}…`;
}

function renderOptional(template: string | null, scope: StepScope, location: string): Rendered<string | null> {
  return template === null ? { ok: true, value: null } : renderText(template, scope, location);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isConcurrencyKey(key: string): boolean {
  return key.length >= 1 && key.length <= 256;
}

function rendered(step: RenderedStep): StepRendering {
  return { ok: true, rendered: step };
}

function notRendered({ problem }: Extract<Rendered<unknown>, { ok: false }>): StepRendering {
  return failed(problem.code, `${problem.location} cannot be rendered: ${problem.message}`);
}

function failed(code: string, message: string): StepRendering {
  return { ok: false, error: { code, message } };
}
