import type { ProblemError } from "@millrace/contract/problem";
import { findCycles } from "./find-cycles.ts";
import { type StepGraph, stepLocation } from "./step-graph.ts";

const MAX_CYCLES = 100;
const MAX_NAMED = 40; // steps of one cycle

/** Reports each cycle once, at the step that closes it, preferably a `changed` one. */
export function cycleIssues({ steps, parents }: StepGraph, changed: ReadonlySet<number>): ProblemError[] {
  const refOf = (place: number | undefined) => steps[place ?? 0]?.step_ref ?? "";
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
  const last = ring.findLastIndex((place) => changed.has(place));
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
