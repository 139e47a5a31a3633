import { isDeepStrictEqual } from "node:util";
import type { StepDefinition, WorkflowDefinition } from "../plan/definition.ts";

/** What another version changes about a step: it is gone, or these fields differ. */
export type StepChange = { kind: "removed" } | { kind: "changed"; fields: string[] };

/**
 * The steps of one version that another lacks or changes. Every stored field counts, even one whose work is done: a
 * retry of the step would read it. Only the order of sets, and of the steps themselves, is ignored.
 */
export function stepChanges(from: WorkflowDefinition, to: WorkflowDefinition): Map<string, StepChange> {
  const targets = new Map(to.steps.map((step) => [step.step_ref, step]));
  const changes = new Map<string, StepChange>();
  for (const step of from.steps) {
    const change = compare(step, targets.get(step.step_ref));
    if (change) changes.set(step.step_ref, change);
  }
  return changes;
}

function compare(step: StepDefinition, target: StepDefinition | undefined): StepChange | undefined {
  if (!target) return { kind: "removed" };
  const [before, after] = [normal(step), normal(target)];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  // A field that an older version lacks equals null.
  const fields = names.filter((name) => !isDeepStrictEqual(before[name] ?? null, after[name] ?? null));
  return fields.length === 0 ? undefined : { kind: "changed", fields };
}

const SETS: ReadonlySet<string> = new Set(["depends_on", "approvers"]);

function normal(step: StepDefinition): Record<string, unknown> {
  const sorted = (name: string, value: unknown) => (SETS.has(name) && Array.isArray(value) ? value.toSorted() : value);
  return Object.fromEntries(Object.entries(step).map(([name, value]) => [name, sorted(name, value)]));
}
