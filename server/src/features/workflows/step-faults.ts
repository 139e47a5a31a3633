import type { ProblemError } from "@millrace/contract/problem";
import type { StepInput } from "@millrace/contract/workflow-steps";
import { conditionFaults } from "./condition-faults.ts";
import { cycleFaults } from "./cycle-faults.ts";
import { fieldFaults, type Surroundings } from "./field-faults.ts";
import { refFaults } from "./ref-faults.ts";
import { readGraph, stepLocation } from "./step-graph.ts";
import { templateFaults } from "./template-faults.ts";

/**
 * Every fault of a workflow's steps with its place, step by step, then the cycles. Asks nobody. Of steps that are
 * `unread`, by their places, nobody knows what they do: their own fields are not judged.
 */
export function stepFaults(
  steps: readonly StepInput[],
  surroundings: Surroundings,
  unread: ReadonlySet<number> = new Set(),
): ProblemError[] {
  const graph = readGraph(steps);
  const ofEach = steps.flatMap((step, place) => [
    ...refFaults(graph, place),
    ...(unread.has(place)
      ? []
      : [...fieldFaults(step, stepLocation(place), surroundings), ...templateFaults(graph, place)]),
    ...conditionFaults(graph, place),
  ]);
  return [...ofEach, ...cycleFaults(graph)];
}
