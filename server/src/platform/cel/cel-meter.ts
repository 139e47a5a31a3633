import type { ASTNode } from "@marcbachmann/cel-js";
import { isComprehension, listNodes } from "./cel-guard.ts";
import { compilePattern, isCompiled, patternSize } from "./linear-regex.ts";

export type CelBudget = { left: number; lastError?: unknown };

/** About 10 ms: a step takes 0.1 µs. Enough for a list of 10,000 items and a body of 10 nodes. */
export const STEPS_PER_EVALUATION = 100_000;

/**
 * Charges an expression's budget before each operation, by the size of its operands: a comprehension its list × its
 * body, a comparison all values inside its operands, a text function its text × its argument, `matches` its text × the
 * pattern's program. The rest, 500 nodes visited once, is free. The library has no such meter; it keeps each node's
 * work in `handle`, which is wrapped here (the version is pinned; compiling fails if an update moves it).
 */
export function meterNodes(root: ASTNode, budget: CelBudget): void {
  for (const node of listNodes(root)) {
    const inner = node as unknown as Inner;
    hideSource(inner);
    if (isComprehension(node)) meterLoop(node, inner, budget);
    else if (node.op === "&&" || node.op === "||") meterLogic(inner, budget);
    else if (inner.handle) meterHandle(inner, findCharge(node), budget);
    else if (PAYING.has(node.op) && !inner.meta.macro)
      throw new Error("unsupported cel-js version: a node has no handle");
  }
}

type Handle = (...parts: unknown[]) => unknown;
type Inner = { handle?: Handle; meta: { evaluate: Handle; alternate?: Inner; macro?: unknown } };
type Charge = (budget: CelBudget, first: unknown, second: unknown) => void;

const PAYING: ReadonlySet<string> = new Set(["call", "rcall", "==", "!=", "in", "+", "<", "<=", ">", ">="]);

function findCharge(node: ASTNode): Charge {
  switch (node.op) {
    case "call":
    case "rcall":
      return CALL_CHARGES[node.args[0]] ?? (node.args[0].startsWith("get") ? chargeClock : chargeCall);
    case "in":
      return chargeMembership;
    case "==":
    case "!=":
      return chargeDeep;
    default:
      return PAYING.has(node.op) ? chargeOperands : chargeNothing;
  }
}

const CALL_CHARGES: Record<string, Charge | undefined> = {
  duration: chargeCharacters(0.03),
  matchesRe2: chargeMatch,
  size: chargeSize,
  split: chargeCharacters(1),
  string: chargeAlso(15),
  timestamp: chargeAlso(25),
};
const STEPS_PER_TIME_ZONE = 1_000;
const STEPS_PER_ERROR = 50;
const OVER_BUDGET = new Error("over budget");

function meterLoop(node: Extract<ASTNode, { op: "rcall" }>, inner: Inner, budget: CelBudget): void {
  const loop = inner.meta.alternate;
  if (!loop?.handle) throw new Error("unsupported cel-js version: a comprehension has no handle");
  const bodyNodes = node.args[2].reduce((count, part) => count + [...listNodes(part)].length, 0);
  meterHandle(loop, (_, list) => spend(budget, countItems(list) * bodyNodes), budget);
}

function meterLogic(inner: Inner, budget: CelBudget): void {
  const { evaluate } = inner.meta;
  inner.meta.evaluate = (...parts) => payForErrors(budget, () => evaluate(...parts));
}

function meterHandle(inner: Inner, charge: Charge, budget: CelBudget): void {
  const { handle } = inner;
  inner.handle = (first, second, ...rest) =>
    payForErrors(budget, () => {
      charge(budget, first, second);
      return handle?.(first, second, ...rest);
    });
}

// exists(), all(), && and || absorb errors: an expression could raise one per node and iteration, 5 µs each. They also
// absorb the exhausted budget, so everything after it must end at once.
function payForErrors(budget: CelBudget, work: () => unknown): unknown {
  if (budget.left < 0) throw OVER_BUDGET;
  try {
    return work();
  } catch (error) {
    if (error !== budget.lastError && error !== OVER_BUDGET) budget.left -= STEPS_PER_ERROR;
    budget.lastError = error;
    throw error;
  }
}

// The library renders the source into every error's message, absorbed or not: up to 4 KB of wasted work.
function hideSource(inner: Inner): void {
  Object.defineProperty(inner, "input", { value: undefined });
  if (inner.meta.alternate) hideSource(inner.meta.alternate);
}

function spend(budget: CelBudget, steps: number): void {
  budget.left -= steps;
  if (budget.left < 0) throw OVER_BUDGET;
}

function chargeNothing(): void {}

function chargeOperands(budget: CelBudget, left: unknown, right: unknown): void {
  spend(budget, weigh(left) + weigh(right));
}

// No allowed function reads the items of a list. Text × argument, because V8's search is quadratic on adversarial
// texts: 45 ms for 10 KB in 20 KB.
function chargeCall(budget: CelBudget, parts: unknown): void {
  const texts = (parts as unknown[]).filter((part) => typeof part === "string");
  spend(budget, texts.reduce((steps, text) => steps * (1 + weigh(text)), 1) - 1);
}

function chargeCharacters(perStep: number): Charge {
  return (budget, parts) => {
    const [text] = parts as unknown[];
    spend(budget, typeof text === "string" ? Math.floor(text.length / perStep) : 0);
    chargeCall(budget, parts);
  };
}

function chargeAlso(steps: number): Charge {
  return (budget, parts) => {
    spend(budget, steps);
    chargeCall(budget, parts);
  };
}

// The library counts the keys of a map by listing them: 0.4 µs each for large maps. A list has a length.
function chargeSize(budget: CelBudget, parts: unknown): void {
  const [value] = parts as unknown[];
  if (typeof value === "string") spend(budget, value.length >> 3);
  else if (!Array.isArray(value)) spend(budget, 4 * countItems(value));
}

// getHours("Europe/Berlin") formats and parses the date again: 100 µs.
function chargeClock(budget: CelBudget, parts: unknown): void {
  spend(budget, (parts as unknown[]).length > 1 ? STEPS_PER_TIME_ZONE : 0);
}

function chargeMatch(budget: CelBudget, parts: unknown): void {
  const [text, source] = parts as unknown[];
  if (typeof text !== "string" || typeof source !== "string") return;
  // Compiling takes 4 µs per instruction, matching 0.1 µs per instruction and character.
  spend(budget, isCompiled(source) ? 20 : 10 * source.length + 40 * patternSize(source));
  spend(budget, text.length * compilePattern(source).programSize());
}

// A key is looked up in a map; a text or number is compared with each item of a list, a map or list with all values
// inside.
function chargeMembership(budget: CelBudget, left: unknown, right: unknown): void {
  if (!Array.isArray(right)) return;
  if (typeof left === "object" && left !== null) chargeDeep(budget, left, right);
  else spend(budget, right.length);
}

function chargeDeep(budget: CelBudget, left: unknown, right: unknown): void {
  spendAll(budget, left);
  spendAll(budget, right);
}

function spendAll(budget: CelBudget, value: unknown): void {
  spend(budget, weigh(value));
  if (typeof value !== "object" || value === null) return;
  for (const item of value instanceof Map ? value.values() : Object.values(value)) spendAll(budget, item);
}

function weigh(value: unknown): number {
  return typeof value === "string" ? value.length >> 5 : countItems(value);
}

function countItems(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  if (Array.isArray(value)) return value.length;
  return value instanceof Map ? value.size : Object.keys(value).length;
}
