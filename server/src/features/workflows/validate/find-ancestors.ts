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
