type Edge = { from: string; to: string };

/** A step as a line of a tree. `branch` is the drawing before it. */
type PlacedStep<S> = { step: S; branch: string; alsoAfter: string[] };

/** Orders steps as a tree. A step is placed below its deepest dependency; its other dependencies are named. */
export function placeSteps<S extends { step_ref: string }>(
  steps: readonly S[],
  edges: readonly Edge[],
): PlacedStep<S>[] {
  const dependenciesOf = (ref: string) => edges.filter(({ to }) => to === ref).map(({ from }) => from);
  const order = new Map(steps.map(({ step_ref }, nth) => [step_ref, nth]));
  const depthOf = depthIn(dependenciesOf);
  // Steps are in definition order, not necessarily after their dependencies, so depth decides first.
  const parentOf = (ref: string) =>
    dependenciesOf(ref).toSorted((a, b) => depthOf(b) - depthOf(a) || (order.get(b) ?? 0) - (order.get(a) ?? 0))[0];
  const parents = new Map(steps.map(({ step_ref }) => [step_ref, parentOf(step_ref)]));
  const walk = (parent: string | undefined, indent: string): PlacedStep<S>[] => {
    const children = steps.filter(({ step_ref }) => parents.get(step_ref) === parent);
    return children.flatMap((step, nth) => {
      const isLast = nth === children.length - 1;
      const alsoAfter = dependenciesOf(step.step_ref).filter((ref) => ref !== parent);
      const placed = { step, branch: `${indent}${isLast ? "└─ " : "├─ "}`, alsoAfter };
      return [placed, ...walk(step.step_ref, `${indent}${isLast ? "   " : "│  "}`)];
    });
  };
  return walk(undefined, "");
}

function depthIn(dependenciesOf: (ref: string) => string[]): (ref: string) => number {
  const known = new Map<string, number>();
  const depthOf = (ref: string): number => {
    const found = known.get(ref);
    if (found !== undefined) return found;
    known.set(ref, 0); // graphs have no cycles; this stops the recursion if one did
    const depth = Math.max(0, ...dependenciesOf(ref).map((each) => depthOf(each) + 1));
    known.set(ref, depth);
    return depth;
  };
  return depthOf;
}
