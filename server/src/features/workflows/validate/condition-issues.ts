import type { ProblemError } from "@millrace/contract/problem";
import { CONDITION_VARIABLES } from "../../../flow/workflows/plan/evaluate-condition.ts";
import { compileCondition } from "../../../platform/cel/cel.ts";
import { listReads } from "../../../platform/cel/list-reads.ts";
import { earlyRead } from "../canaries/early-read.ts";
import { type StepGraph, stepLocation } from "./step-graph.ts";

/** Reports a condition that does not compile, or that reads steps which need not have ended. */
export function conditionIssues(graph: StepGraph, place: number): ProblemError[] {
  const { condition } = graph.steps[place] ?? {};
  if (condition === undefined || condition === null) return [];
  const compiled = compileCondition(condition, { variables: CONDITION_VARIABLES });
  const messages = compiled.ok
    ? readsOf(condition).flatMap(([what, ref]) => earlyRead(graph, place, what, ref) ?? [])
    : [`${compiled.message}${formatPosition(compiled.position)}${hyphenHint(graph, condition)}`];
  const location = `${stepLocation(place)}.condition`;
  return messages.map((message) => ({ location, message, value: condition.slice(0, 200) }));
}

/** Each one once, as written and with the step's name. */
function readsOf(condition: string): [what: string, ref: string][] {
  const reads = listReads(condition).filter(({ root }) => root === "parent_outputs" || root === "steps");
  const refs = new Map(reads.map(({ root, name }) => [`${root}.${name}`, name]));
  return [...refs];
}

function formatPosition(position: number | undefined): string {
  return position === undefined ? "" : ` (at position ${position})`;
}

/** In CEL `steps.a-b` subtracts b from `steps.a`. */
function hyphenHint({ places }: StepGraph, condition: string): string {
  const ref = [...places.keys()].find((each) => each.includes("-") && condition.includes(`.${each}`));
  return ref === undefined ? "" : `; a name with a hyphen is written steps["${ref}"]`;
}
