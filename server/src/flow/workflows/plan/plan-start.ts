import { type ConditionResult, evaluateCondition, quoteCondition } from "./evaluate-condition.ts";
import type { StepNode } from "./graph-index.ts";
import type { GraphState, StepDecision, StepError, StepState } from "./graph-types.ts";
import { renderStep, type StepScope } from "./render-step.ts";

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
  const judged = condition === null ? undefined : judge(condition, scope, node, states);
  if (judged && !judged.ok) return fail(step_ref, judged.error);
  const verdict = condition === null ? "" : `${quoteCondition(condition)} is ${judged?.value}`;
  if (judged && !judged.value) return { kind: "skip", step_ref, cause: "condition", cause_ref: null, reason: verdict };

  if (judged) yield;
  const rendering = yield* renderStep(node.step, scope);
  if (!rendering.ok) return fail(step_ref, rendering.error);
  const reason = verdict === "" ? why : `${why}; ${verdict}`;
  return { kind: "start", step_ref, rendered: rendering.rendered, reason, condition: judged?.value ?? null };
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

function judge(
  condition: string,
  scope: StepScope,
  { statusRefs }: StepNode,
  states: ReadonlyMap<string, StepState>,
): ConditionResult {
  const status = (ref: string) => ({ status: states.get(ref)?.status ?? "pending" });
  const steps = Object.fromEntries(statusRefs.map((ref) => [ref, status(ref)]));
  return evaluateCondition(condition, { ...scope, steps });
}
