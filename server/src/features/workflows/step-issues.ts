import type { ProblemError } from "@millrace/contract/problem";
import type { StepInput } from "@millrace/contract/workflow-steps";
import { conditionIssues } from "./condition-issues.ts";
import { cycleIssues } from "./cycle-issues.ts";
import { fieldIssues, type Surroundings } from "./field-issues.ts";
import { refIssues } from "./ref-issues.ts";
import { readGraph, stepLocation } from "./step-graph.ts";
import { templateIssues } from "./template-issues.ts";

/**
 * How far steps could be read. Of those that are `unread`, by their places, nobody knows what they do: their own fields
 * are not judged. Those that are `changed` are where a cycle is told.
 */
type Read = { unread?: ReadonlySet<number>; isOrderKnown?: boolean; changed?: ReadonlySet<number> };

/**
 * Every issue of a workflow's steps with its place, step by step, then the cycles. Asks nobody. Yields after each step:
 * to compile its condition may take milliseconds.
 */
export function* stepIssues(
  steps: readonly StepInput[],
  surroundings: Surroundings,
  { unread = new Set(), isOrderKnown = true, changed = new Set() }: Read = {},
): Generator<void, ProblemError[]> {
  const graph = readGraph(steps, isOrderKnown);
  const found: ProblemError[] = [];
  for (const [place, step] of steps.entries()) {
    const isRead = !unread.has(place);
    found.push(...refIssues(graph, place));
    if (isRead) found.push(...fieldIssues(step, stepLocation(place), surroundings), ...templateIssues(graph, place));
    found.push(...conditionIssues(graph, place));
    yield;
  }
  return [...found, ...cycleIssues(graph, changed)];
}
