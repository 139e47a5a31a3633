import type { StepInput } from "@millrace/contract/workflow-steps";
import { findAncestors } from "./find-ancestors.ts";

/** Steps by their position in the list, as far as their names are valid: of duplicates the first has the name. */
export type StepGraph = {
  steps: readonly StepInput[];
  places: ReadonlyMap<string, number>;
  /** The dependencies of each, without unknown names. */
  parents: readonly (readonly number[])[];
  /** Undefined if the ancestors are unknown. */
  ancestors: readonly (bigint | undefined)[];
};

/**
 * `isOrderKnown`: false if some dependencies could not be read. For `inSlices`: steps that depend on all before them
 * have 45,000 dependencies.
 */
export function* readGraph(steps: readonly StepInput[], isOrderKnown: boolean): Generator<void, StepGraph> {
  const places = new Map<string, number>();
  for (const [place, { step_ref }] of steps.entries()) if (!places.has(step_ref)) places.set(step_ref, place);
  const parents = steps.map(({ depends_on = [] }) => placesOf(depends_on, places));
  yield;
  return { steps, places, parents, ancestors: isOrderKnown ? findAncestors(parents) : [] };
}

/** Each once, without unknown names. */
function placesOf(refs: readonly string[], places: ReadonlyMap<string, number>): number[] {
  const found: number[] = [];
  for (const ref of new Set(refs)) {
    const place = places.get(ref);
    if (place !== undefined) found.push(place);
  }
  return found;
}

export function stepLocation(place: number): string {
  return `body.steps[${place}]`;
}
