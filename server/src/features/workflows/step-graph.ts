import type { StepInput } from "@millrace/contract/workflow-steps";
import { findAncestors } from "./find-ancestors.ts";

/** Steps by their place in the list, as far as their names can be read: of two with one name the first has it. */
export type StepGraph = {
  steps: readonly StepInput[];
  places: ReadonlyMap<string, number>;
  /** What each depends on, without names that nobody has. */
  parents: readonly (readonly number[])[];
  /** Undefined where nothing can be told of what comes before. */
  ancestors: readonly (bigint | undefined)[];
};

/** `isOrderKnown`: false when what some depend on could not be read. */
export function readGraph(steps: readonly StepInput[], isOrderKnown: boolean): StepGraph {
  const places = new Map<string, number>();
  for (const [place, { step_ref }] of steps.entries()) if (!places.has(step_ref)) places.set(step_ref, place);
  const parents = steps.map(({ depends_on = [] }) => [...new Set(depends_on)].flatMap((ref) => places.get(ref) ?? []));
  return { steps, places, parents, ancestors: isOrderKnown ? findAncestors(parents) : [] };
}

export function stepLocation(place: number): string {
  return `body.steps[${place}]`;
}
