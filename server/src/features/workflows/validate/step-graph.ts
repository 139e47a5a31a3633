import type { StepInput } from "@millrace/contract/workflows/workflow-steps";

/** Steps by their position in the list, as far as their names are valid: of duplicates the first has the name. */
export type StepGraph = {
  steps: readonly StepInput[];
  indexes: ReadonlyMap<string, number>;
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
  const indexes = new Map<string, number>();
  for (const [index, { step_ref }] of steps.entries()) if (!indexes.has(step_ref)) indexes.set(step_ref, index);
  const parents = steps.map(({ depends_on = [] }) => indexesOf(depends_on, indexes));
  yield;
  return { steps, indexes, parents, ancestors: isOrderKnown ? findAncestors(parents) : [] };
}

/** Each once, without unknown names. */
function indexesOf(refs: readonly string[], indexes: ReadonlyMap<string, number>): number[] {
  const found: number[] = [];
  for (const ref of new Set(refs)) {
    const index = indexes.get(ref);
    if (index !== undefined) found.push(index);
  }
  return found;
}

export function stepLocation(index: number): string {
  return `body.steps[${index}]`;
}

/**
 * The ancestors of each node, as bits: bit n is set if n is one. Undefined for a node in or after a cycle, where no
 * order exists. `parents[n]`: the nodes directly before n.
 */
export function findAncestors(parents: readonly (readonly number[])[]): (bigint | undefined)[] {
  const children: number[][] = parents.map(() => []);
  const left = parents.map((of, node) => {
    for (const parent of of) children[parent]?.push(node);
    return of.length;
  });
  const ready = [...left.keys()].filter((node) => left[node] === 0);
  const ancestors: (bigint | undefined)[] = parents.map(() => undefined);
  /** Each with its ancestors: one operation for each of up to 45,000 dependencies. */
  const lines: bigint[] = [];
  for (let node = ready.pop(); node !== undefined; node = ready.pop()) {
    let bits = 0n;
    for (const parent of parents[node] ?? []) bits |= lines[parent] ?? 0n;
    ancestors[node] = bits;
    lines[node] = bits | bit(node);
    for (const child of children[node] ?? []) if (--(left[child] as number) === 0) ready.push(child);
  }
  return ancestors;
}

export function bit(node: number): bigint {
  return 1n << BigInt(node);
}

/** Why a step may not read another: only a step that is sure to have ended before it starts has a result. */
export function earlyRead(
  { steps, indexes, ancestors }: StepGraph,
  index: number,
  what: string,
  ref: string,
): string | undefined {
  const other = indexes.get(ref);
  if (other === undefined) return `reads ${what}, but there is no step ${ref}`;
  if (steps[index]?.step_ref === ref) return `reads ${what}, which is this step itself`;
  const before = ancestors[index];
  if (before === undefined || (before & bit(other)) !== 0n) return undefined;
  return `reads ${what}, but ${ref} may not have ended by then: add it to depends_on, directly or through another step`;
}
