import type { ProblemError } from "@millrace/contract/problem";
import type { StepInput } from "@millrace/contract/workflow-steps";
import { conditionFaults } from "./condition-faults.ts";
import { cycleFaults } from "./cycle-faults.ts";
import { fieldFaults, type Surroundings } from "./field-faults.ts";
import { refFaults } from "./ref-faults.ts";
import { readGraph, stepLocation } from "./step-graph.ts";
import { templateFaults } from "./template-faults.ts";

/**
 * How far steps could be read. Of those that are `unread`, by their places, nobody knows what they do: their own fields
 * are not judged. Those that are `changed` are where a cycle is told.
 */
type Read = { unread?: ReadonlySet<number>; isOrderKnown?: boolean; changed?: ReadonlySet<number> };

/**
 * Every fault of a workflow's steps with its place, step by step, then the cycles. Asks nobody. Yields after each step:
 * to compile its condition may take milliseconds.
 */
export function* stepFaults(
  steps: readonly StepInput[],
  surroundings: Surroundings,
  { unread = new Set(), isOrderKnown = true, changed = new Set() }: Read = {},
): Generator<void, ProblemError[]> {
  const graph = readGraph(steps, isOrderKnown);
  const found: ProblemError[] = [];
  for (const [place, step] of steps.entries()) {
    const isRead = !unread.has(place);
    found.push(...refFaults(graph, place));
    if (isRead) found.push(...fieldFaults(step, stepLocation(place), surroundings), ...templateFaults(graph, place));
    found.push(...conditionFaults(graph, place));
    yield;
  }
  return [...found, ...cycleFaults(graph, changed)];
}
