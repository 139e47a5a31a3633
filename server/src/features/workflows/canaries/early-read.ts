import { bit } from "../validate/find-ancestors.ts";
import type { StepGraph } from "../validate/step-graph.ts";

/** Why a step may not read another: only a step that is sure to have ended before it starts has a result. */
export function earlyRead(
  { steps, places, ancestors }: StepGraph,
  place: number,
  what: string,
  ref: string,
): string | undefined {
  const other = places.get(ref);
  if (other === undefined) return `reads ${what}, but there is no step ${ref}`;
  if (steps[place]?.step_ref === ref) return `reads ${what}, which is this step itself`;
  const before = ancestors[place];
  if (before === undefined || (before & bit(other)) !== 0n) return undefined;
  return `reads ${what}, but ${ref} may not have ended by then: add it to depends_on, directly or through another step`;
}
