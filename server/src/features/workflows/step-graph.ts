import type { StepInput } from "@millrace/contract/workflow-steps";
import { findAncestors } from "./find-ancestors.ts";

/** Steps by their place in the list, as far as their names can be read: of two with one name the first has it. */
export type StepGraph = {
  steps: readonly StepInput[];
  places: ReadonlyMap<string, number>;
  /** What each depends on, without names that nobody has. */
  parents: readonly (readonly number[])[];
  ancestors: readonly (bigint | undefined)[];
};

export function readGraph(steps: readonly StepInput[]): StepGraph {
  const places = new Map<string, number>();
  for (const [place, { step_ref }] of steps.entries()) if (!places.has(step_ref)) places.set(step_ref, place);
  const parents = steps.map(({ depends_on = [] }) => [...new Set(depends_on)].flatMap((ref) => places.get(ref) ?? []));
  return { steps, places, parents, ancestors: findAncestors(parents) };
}

export function stepLocation(place: number): string {
  return `body.steps[${place}]`;
}
