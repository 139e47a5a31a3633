/**
 * Finds the cycles of a graph, each as the nodes on its path: `[0, 2, 0]`. One for each back edge of a depth-first
 * search, so none is reported twice, and without those edges there is no cycle. `next[n]`: the targets of n's edges.
 */
export function findCycles(next: readonly (readonly number[])[], max: number): number[][] {
  const cycles: number[][] = [];
  const done = new Set<number>();
  const trail: number[] = [];
  const placeOnTrail = new Map<number, number>();

  function walk(node: number): void {
    if (done.has(node) || cycles.length >= max) return;
    const place = placeOnTrail.get(node);
    if (place !== undefined) {
      cycles.push([...trail.slice(place), node]);
      return;
    }
    placeOnTrail.set(node, trail.push(node) - 1);
    for (const other of next[node] ?? []) walk(other);
    placeOnTrail.delete(node);
    trail.pop();
    done.add(node);
  }

  for (const node of next.keys()) walk(node);
  return cycles;
}
