import type { ProblemError } from "@millrace/contract/problem";
import { type StepGraph, stepLocation } from "./step-graph.ts";

const STEP_REF = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/** The references of a step: its own name, and those it depends on. */
export function refIssues(graph: StepGraph, place: number): ProblemError[] {
  return [...ownIssues(graph, place), ...dependsOnIssues(graph, place)];
}

function ownIssues({ steps, places }: StepGraph, place: number): ProblemError[] {
  const { step_ref = "" } = steps[place] ?? {};
  const first = places.get(step_ref) ?? place;
  const issues = [
    ...(STEP_REF.test(step_ref) ? [] : ["must be 1 to 64 letters, digits, _ and -, with a letter or digit first"]),
    ...(first < place ? [`duplicates the name of steps[${first}]`] : []),
  ];
  return issues.map((message) => ({
    location: `${stepLocation(place)}.step_ref`,
    message,
    value: step_ref.slice(0, 200),
  }));
}

function dependsOnIssues({ steps, places }: StepGraph, place: number): ProblemError[] {
  const seen = new Set<string>();
  return (steps[place]?.depends_on ?? []).flatMap((ref, i) => {
    const isRepeated = seen.has(ref);
    seen.add(ref);
    if (places.has(ref) && !isRepeated) return [];
    const message = isRepeated ? "is listed twice" : "is not a step of this workflow";
    return [{ location: `${stepLocation(place)}.depends_on[${i}]`, message, value: ref.slice(0, 200) }];
  });
}
