import type { ProblemError } from "@millrace/contract/schema/problem";
import type { StepInput } from "@millrace/contract/workflows/workflow-steps";
import { CONDITION_VARIABLES } from "../../../flow/workflows/plan/plan-start.ts";
import { compileCondition } from "../../../platform/cel/cel.ts";
import { listReads } from "../../../platform/cel/list-reads.ts";
import { fieldIssues, type Surroundings } from "./field-issues.ts";
import { earlyRead, readGraph, type StepGraph, stepLocation } from "./step-graph.ts";
import { templateIssues } from "./template-issues.ts";

/**
 * How far the steps could be read. The type of `unread` steps is unknown, so their own fields are not validated. Cycles
 * are reported at `changed` steps. All by position.
 */
type Read = { unread?: ReadonlySet<number>; isOrderKnown?: boolean; changed?: ReadonlySet<number> };

/**
 * Returns every issue of a workflow's steps with its location, step by step, then the cycles. Pure. Yields after each
 * step, because compiling its condition may take milliseconds.
 */
export function* stepIssues(
  steps: readonly StepInput[],
  surroundings: Surroundings,
  { unread = new Set(), isOrderKnown = true, changed = new Set() }: Read = {},
): Generator<void, ProblemError[]> {
  const graph = yield* readGraph(steps, isOrderKnown);
  yield;
  const found: ProblemError[] = [];
  for (const [index, step] of steps.entries()) {
    const isRead = !unread.has(index);
    found.push(...refIssues(graph, index));
    if (isRead) {
      found.push(...fieldIssues(step, stepLocation(index), surroundings));
      found.push(...(yield* templateIssues(graph, index)));
    }
    found.push(...conditionIssues(graph, index));
    yield;
  }
  return [...found, ...cycleIssues(graph, changed)];
}

const MAX_CYCLES = 100;
const MAX_NAMED = 40; // steps of one cycle

/** Reports each cycle once, at the step that closes it, preferably a `changed` one. */
function cycleIssues({ steps, parents }: StepGraph, changed: ReadonlySet<number>): ProblemError[] {
  const refOf = (index: number | undefined) => steps[index ?? 0]?.step_ref ?? "";
  return findCycles(parents, MAX_CYCLES).map((found) => {
    const cycle = endingAt(changed, found);
    const [closing = 0, first] = cycle.slice(-2);
    const at = steps[closing]?.depends_on?.indexOf(refOf(first)) ?? 0;
    const location = `${stepLocation(closing)}.depends_on[${at}]`;
    return { location, message: `makes a cycle: ${formatCycle(cycle.map(refOf))}`, value: refOf(first) };
  });
}

function endingAt(changed: ReadonlySet<number>, cycle: readonly number[]): readonly number[] {
  const ring = cycle.slice(0, -1);
  const last = ring.findLastIndex((index) => changed.has(index));
  if (last < 0) return cycle;
  const turned = [...ring.slice(last + 1), ...ring.slice(0, last + 1)];
  return [...turned, ...turned.slice(0, 1)];
}

function formatCycle(refs: readonly string[]): string {
  if (refs.length <= MAX_NAMED) return refs.join(" → ");
  const half = MAX_NAMED / 2;
  const left = refs.length - MAX_NAMED;
  return [...refs.slice(0, half), `… ${left} more …`, ...refs.slice(-half)].join(" → ");
}

const STEP_REF = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/** The references of a step: its own name, and those it depends on. */
function refIssues(graph: StepGraph, index: number): ProblemError[] {
  return [...ownIssues(graph, index), ...dependsOnIssues(graph, index)];
}

function ownIssues({ steps, indexes }: StepGraph, index: number): ProblemError[] {
  const { step_ref = "" } = steps[index] ?? {};
  const first = indexes.get(step_ref) ?? index;
  const issues = [
    ...(STEP_REF.test(step_ref) ? [] : ["must be 1 to 64 letters, digits, _ and -, with a letter or digit first"]),
    ...(first < index ? [`duplicates the name of steps[${first}]`] : []),
  ];
  return issues.map((message) => ({
    location: `${stepLocation(index)}.step_ref`,
    message,
    value: step_ref.slice(0, 200),
  }));
}

function dependsOnIssues({ steps, indexes }: StepGraph, index: number): ProblemError[] {
  const seen = new Set<string>();
  return (steps[index]?.depends_on ?? []).flatMap((ref, i) => {
    const isRepeated = seen.has(ref);
    seen.add(ref);
    if (indexes.has(ref) && !isRepeated) return [];
    const message = isRepeated ? "is listed twice" : "is not a step of this workflow";
    return [{ location: `${stepLocation(index)}.depends_on[${i}]`, message, value: ref.slice(0, 200) }];
  });
}

/** Reports a condition that does not compile, or that reads steps which need not have ended. */
function conditionIssues(graph: StepGraph, index: number): ProblemError[] {
  const { condition } = graph.steps[index] ?? {};
  if (condition === undefined || condition === null) return [];
  const compiled = compileCondition(condition, { variables: CONDITION_VARIABLES });
  const messages = compiled.ok
    ? readsOf(condition).flatMap(([what, ref]) => earlyRead(graph, index, what, ref) ?? [])
    : [`${compiled.message}${formatPosition(compiled.position)}${hyphenHint(graph, condition)}`];
  const location = `${stepLocation(index)}.condition`;
  return messages.map((message) => ({ location, message, value: condition.slice(0, 200) }));
}

/** Each one once, as written and with the step's name. */
function readsOf(condition: string): [what: string, ref: string][] {
  const reads = listReads(condition).filter(({ root }) => root === "parent_outputs" || root === "steps");
  const refs = new Map(reads.map(({ root, name }) => [`${root}.${name}`, name]));
  return [...refs];
}

function formatPosition(position: number | undefined): string {
  return position === undefined ? "" : ` (at position ${position})`;
}

/** In CEL `steps.a-b` subtracts b from `steps.a`. */
function hyphenHint({ indexes }: StepGraph, condition: string): string {
  const ref = [...indexes.keys()].find((each) => each.includes("-") && condition.includes(`.${each}`));
  return ref === undefined ? "" : `; a name with a hyphen is written steps["${ref}"]`;
}

/**
 * Finds the cycles of a graph, each as the nodes on its path: `[0, 2, 0]`. One for each back edge of a depth-first
 * search, so none is reported twice, and without those edges there is no cycle. `next[n]`: the targets of n's edges.
 */
export function findCycles(next: readonly (readonly number[])[], max: number): number[][] {
  const cycles: number[][] = [];
  const done = new Set<number>();
  const trail: number[] = [];
  const indexOnTrail = new Map<number, number>();

  function walk(node: number): void {
    if (done.has(node) || cycles.length >= max) return;
    const index = indexOnTrail.get(node);
    if (index !== undefined) {
      cycles.push([...trail.slice(index), node]);
      return;
    }
    indexOnTrail.set(node, trail.push(node) - 1);
    for (const other of next[node] ?? []) walk(other);
    indexOnTrail.delete(node);
    trail.pop();
    done.add(node);
  }

  for (const node of next.keys()) walk(node);
  return cycles;
}
