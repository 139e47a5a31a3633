import { LRUCache } from "lru-cache";
import { type CelType, type CompiledCel, compileCondition } from "../../../platform/cel/cel.ts";
import type { StepError } from "./graph-types.ts";

export type ConditionScope = {
  payload: unknown;
  parent_outputs: Readonly<Record<string, unknown>>;
  steps: Readonly<Record<string, { status: string }>>;
};
export type ConditionResult = { ok: true; value: boolean } | { ok: false; error: StepError };

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
export function quoteCondition(source: string): string {
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
