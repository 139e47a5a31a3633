import { Buffer } from "node:buffer";
import { Environment, type ParseResult } from "@marcbachmann/cel-js";
import { findForbidden, routeMatchesToRe2 } from "./cel-guard.ts";
import { type CelBudget, meterNodes, STEPS_PER_EVALUATION } from "./cel-meter.ts";
import { fromCel, toCel } from "./cel-values.ts";
import { compilePattern } from "./linear-regex.ts";

/** JSON numbers are doubles in CEL, so no variable is an `int`. */
export type CelType = "dyn" | "bool" | "string" | "double" | "list" | "map";
type CelValues = Readonly<Record<string, unknown>>;
type CelResult<T> = { ok: true; value: T } | { ok: false; message: string };
type CelIssue = { ok: false; message: string; position?: number };
export type CompiledCel<T> = { ok: true; type: string; evaluate(values: CelValues): CelResult<T> } | CelIssue;

/**
 * Compiles an untrusted CEL expression under a guard: source ≤ 4 KB, 500 nodes, 30 levels, no nested comprehensions,
 * only the listed functions, `matches` in linear time, own properties only, and a step budget for each evaluation
 * (cel-meter.ts). Neither compiling nor evaluating throws.
 */
export function compileCel(source: string, options: { variables: Record<string, CelType> }): CompiledCel<unknown> {
  if (Buffer.byteLength(source) > SOURCE_BYTES) return { ok: false, message: `is longer than ${SOURCE_BYTES} bytes` };
  try {
    return compile(source, options.variables);
  } catch (error) {
    return describeIssue(error);
  }
}

/** The same for a condition: a type that cannot be boolean is refused when compiling, the rest when evaluating. */
export function compileCondition(
  source: string,
  options: { variables: Record<string, CelType> },
): CompiledCel<boolean> {
  const compiled = compileCel(source, options);
  if (!compiled.ok) return compiled;
  if (compiled.type !== "bool" && compiled.type !== "dyn") {
    return { ok: false, message: `must return true or false, but returns ${compiled.type}` };
  }
  return { ok: true, type: compiled.type, evaluate: (values) => requireBoolean(compiled.evaluate(values)) };
}

const SOURCE_BYTES = 4096;
const LIMITS = { maxAstNodes: 500, maxDepth: 30 };
const BASE = createBase();

function createBase(): Environment {
  const base = new Environment({ limits: LIMITS, homogeneousAggregateLiterals: false })
    .registerFunction("string.matchesRe2(string): bool", (text, pattern) => compilePattern(pattern).test(text), {
      async: false,
    })
    .registerOperator("double % double: double", (a: number, b: number) => a % b);

  // CEL has no arithmetic between int and double, and JSON numbers are doubles: `payload.count + 1` must work.
  const arithmetic = {
    "+": (a: number, b: number) => a + b,
    "-": (a: number, b: number) => a - b,
    "*": (a: number, b: number) => a * b,
    "/": (a: number, b: number) => a / b,
    "%": (a: number, b: number) => a % b,
  };
  for (const [sign, compute] of Object.entries(arithmetic)) {
    base.registerOperator(`double ${sign} int: double`, (a: number, b: bigint) => compute(a, Number(b)));
    base.registerOperator(`int ${sign} double: double`, (a: bigint, b: number) => compute(Number(a), b));
  }
  return base;
}

function compile(source: string, variables: Record<string, CelType>): CompiledCel<unknown> {
  const environment = BASE.clone();
  for (const [name, type] of Object.entries(variables)) environment.registerVariable(name, type);

  const parsed = environment.parse(source);
  const forbidden = findForbidden(parsed.ast);
  if (forbidden) return { ok: false, ...forbidden };
  routeMatchesToRe2(parsed.ast);

  const checked = parsed.check();
  if (!checked.valid) return describeIssue(checked.error);
  const budget: CelBudget = { left: 0 };
  meterNodes(parsed.ast, budget);
  return { ok: true, type: checked.type ?? "dyn", evaluate: (values) => evaluate(parsed, budget, values) };
}

function evaluate(parsed: ParseResult, budget: CelBudget, values: CelValues): CelResult<unknown> {
  const { stackTraceLimit } = Error;
  // exists() and || absorb errors, thousands in one evaluation: without stack traces they cost a third.
  Error.stackTraceLimit = 0;
  budget.left = STEPS_PER_EVALUATION;
  try {
    const result = fromCel(parsed(toCel(values)));
    // exists() and || absorb the error of the exhausted budget, so the budget itself is checked.
    if (budget.left < 0) return { ok: false, message: TOO_COSTLY };
    return { ok: true, value: result };
  } catch (error) {
    return { ok: false, message: budget.left < 0 ? TOO_COSTLY : describeIssue(error).message };
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

const TOO_COSTLY = "takes too many steps: the lists or strings are too large for this expression";

function requireBoolean(result: CelResult<unknown>): CelResult<boolean> {
  if (!result.ok) return result;
  const { value } = result;
  if (typeof value === "boolean") return { ok: true, value };
  return { ok: false, message: `must return true or false, but returned ${value === null ? "null" : typeof value}` };
}

const LIMIT_MESSAGES: Record<string, string> = {
  [`Exceeded maxAstNodes (${LIMITS.maxAstNodes})`]: `has more than ${LIMITS.maxAstNodes} AST nodes`,
  [`Exceeded maxDepth (${LIMITS.maxDepth})`]: `is nested more than ${LIMITS.maxDepth} levels deep`,
};

// `summary` is the message without the library's excerpt of the source.
function describeIssue(error: unknown): CelIssue {
  if (!(error instanceof Error)) return { ok: false, message: String(error) };
  const { summary, range } = error as Error & { summary?: string; range?: { start: number } };
  const message = (summary ?? error.message).replaceAll("matchesRe2", "matches");
  const issue: CelIssue = { ok: false, message: LIMIT_MESSAGES[message] ?? message };
  return range ? { ...issue, position: range.start } : issue;
}
