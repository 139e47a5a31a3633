import type { Thrown } from "./random-graph.ts";

export type Fate = "completed" | "failed" | "skipped" | "skipped for another" | "never";

/**
 * Derives how each step ends from the rules alone, without state, order or limits. `never`: a step upstream fails the
 * whole workflow.
 */
export function predictFates(steps: readonly Thrown[]): ReadonlyMap<string, Fate> {
  const fates = new Map<string, Fate>();
  const byRef = new Map(steps.map((step) => [step.ref, step]));
  for (const step of steps) {
    const above = step.parents.map((ref) => ({ ref, fate: fates.get(ref), on_failure: byRef.get(ref)?.on_failure }));
    const isBlocked = above.some(
      ({ fate, on_failure }) =>
        fate === "skipped for another" || (fate === "failed" && on_failure === "skip_dependents"),
    );
    const isCut = above.some(
      ({ fate, on_failure }) => fate === "never" || (fate === "failed" && on_failure === "fail_workflow"),
    );
    fates.set(step.ref, isBlocked ? "skipped for another" : isCut ? "never" : ownFate(step, fates));
  }
  return fates;
}

function ownFate({ type, condition, template, outcome }: Thrown, fates: ReadonlyMap<string, Fate>): Fate {
  if (condition.kind === "broken" || condition.kind === "no_boolean") return "failed";
  if (condition.kind === "no") return "skipped";
  if ("ref" in condition && fates.get(condition.ref) !== "completed") return "skipped";
  if (type !== "sleep" && template.kind === "missing") return "failed";
  // Null has no text form.
  if (type !== "sleep" && template.kind === "text_of" && fates.get(template.ref) !== "completed") return "failed";
  return outcome;
}

/** The steps that fail the workflow, provided that they are reached. */
export function predictFatal(steps: readonly Thrown[]): string[] {
  const fates = predictFates(steps);
  return steps
    .filter(({ ref, on_failure }) => on_failure === "fail_workflow" && fates.get(ref) === "failed")
    .map(({ ref }) => ref);
}
