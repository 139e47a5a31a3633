import type { ProblemError } from "@millrace/contract/problem";
import type { StepInput } from "@millrace/contract/workflow-steps";
import { conditionIssues } from "./condition-issues.ts";
import { cycleIssues } from "./cycle-issues.ts";
import { fieldIssues, type Surroundings } from "./field-issues.ts";
import { refIssues } from "./ref-issues.ts";
import { readGraph, stepLocation } from "./step-graph.ts";
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
  for (const [place, step] of steps.entries()) {
    const isRead = !unread.has(place);
    found.push(...refIssues(graph, place));
    if (isRead) {
      found.push(...fieldIssues(step, stepLocation(place), surroundings));
      found.push(...(yield* templateIssues(graph, place)));
    }
    found.push(...conditionIssues(graph, place));
    yield;
  }
  return [...found, ...cycleIssues(graph, changed)];
}
