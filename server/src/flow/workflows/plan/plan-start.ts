import { MAX_MESSAGE_CHARACTERS } from "@millrace/contract/workflows/step-runs";
import { LRUCache } from "lru-cache";
import { type CelType, type CompiledCel, compileCondition } from "../../../platform/cel/cel.ts";
import { parseDuration } from "../../../platform/time/duration.ts";
import { hasTakenLong } from "../../../platform/time-slices.ts";
import { type Rendered, renderTemplate, renderText } from "../../templates/render-template.ts";
import { eventKeyIssue } from "../../waits/event-keys.ts";
import type {
  ApprovalStep,
  GraphState,
  JobStep,
  RenderedStep,
  StepDecision,
  StepDefinition,
  StepError,
  StepState,
  SubWorkflowStep,
  WaitStep,
} from "./definition.ts";
import type { StepNode } from "./graph-index.ts";
import { renderMap } from "./render-map.ts";

/**
 * For a step whose dependencies are done: its condition, then its templates, each in its own slice. `why`: the
 * explanation that they are done.
 */
export function* planStart(
  node: StepNode,
  { payload, outputs }: GraphState,
  states: ReadonlyMap<string, StepState>,
  why: string,
): Generator<void, StepDecision> {
  const { step_ref, condition } = node.step;
  const scope = { payload, parent_outputs: readOutputs(node, outputs, states) };
  const result = condition === null ? undefined : evaluate(condition, scope, node, states);
  if (result && !result.ok) return fail(step_ref, result.error);
  const verdict = condition === null ? "" : `${quoteCondition(condition)} is ${result?.value}`;
  if (result && !result.value) return { kind: "skip", step_ref, cause: "condition", cause_ref: null, reason: verdict };

  if (result) yield;
  const rendering = yield* renderStep(node.step, scope);
  if (!rendering.ok) return fail(step_ref, rendering.error);
  const reason = verdict === "" ? why : `${why}; ${verdict}`;
  return { kind: "start", step_ref, rendered: rendering.rendered, reason, condition: result?.value ?? null };
}

function fail(step_ref: string, error: StepError): StepDecision {
  return { kind: "fail", step_ref, error, reason: error.message };
}

/** Null for a step without output: it failed under `continue`, or was skipped. */
function readOutputs(
  { reads }: StepNode,
  outputs: ReadonlyMap<string, unknown>,
  states: ReadonlyMap<string, StepState>,
): Record<string, unknown> {
  const read = (ref: string) => (states.get(ref)?.status === "completed" ? (outputs.get(ref) ?? null) : null);
  return Object.fromEntries(reads.map((ref) => [ref, read(ref)]));
}

function evaluate(
  condition: string,
  scope: StepScope,
  { statusRefs }: StepNode,
  states: ReadonlyMap<string, StepState>,
): ConditionResult {
  const status = (ref: string) => ({ status: states.get(ref)?.status ?? "pending" });
  const steps = Object.fromEntries(statusRefs.map((ref) => [ref, status(ref)]));
  return evaluateCondition(condition, { ...scope, steps });
}

type StepScope = { payload: unknown; parent_outputs: Record<string, unknown> };
type StepRendering = { ok: true; rendered: RenderedStep } | { ok: false; error: StepError };

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
    for (const [index, name] of (names[i] ?? []).entries()) {
      merged.set(name, (fields as Record<string, unknown>)[name]);
      if (index % MANY_NAMES === 0) yield;
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

type ConditionScope = {
  payload: unknown;
  parent_outputs: Readonly<Record<string, unknown>>;
  steps: Readonly<Record<string, { status: string }>>;
};
type ConditionResult = { ok: true; value: boolean } | { ok: false; error: StepError };

/** The names a condition can read; saving checks against the same ones. */
export const CONDITION_VARIABLES = {
  payload: "dyn",
  parent_outputs: "map",
  steps: "map",
} as const satisfies Record<keyof ConditionScope, CelType>;

/** A condition that cannot be evaluated, or is neither true nor false, fails its step. */
export function evaluateCondition(source: string, scope: ConditionScope): ConditionResult {
  const compiled = compile(source);
  const result = compiled.ok ? compiled.evaluate(scope) : compiled;
  if (result.ok) return result;
  return {
    ok: false,
    error: { code: "condition_failed", message: `${quoteCondition(source)} ${describe(result.message)}` },
  };
}

/** `condition \`payload.total > 100\``, shortened for a message. */
function quoteCondition(source: string): string {
  const shown = source.length > MAX_SHOWN_LENGTH ? `${source.slice(0, MAX_SHOWN_LENGTH)}…` : source;
  return `condition \`${shown}\``;
}

const MAX_SHOWN_LENGTH = 200;

function describe(message: string): string {
  return /^(?:must|takes|is|has) /.test(message) ? message : `cannot be evaluated: ${message}`;
}

const compiledConditions = new LRUCache<string, CompiledCel<boolean>>({ max: 2_000 });

function compile(source: string): CompiledCel<boolean> {
  const known = compiledConditions.get(source);
  if (known) return known;
  const compiled = compileCondition(source, { variables: CONDITION_VARIABLES });
  compiledConditions.set(source, compiled);
  return compiled;
}
