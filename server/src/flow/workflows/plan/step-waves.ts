/** The fields of a step that determine its position in the graph. */
export type GraphStep = { step_ref: string; depends_on?: readonly string[] };

/**
 * Groups steps by their longest distance from a root: the steps of a wave could all start when the waves before have
 * ended. Unknown names are ignored; a step in or after a cycle is in no wave; of two with one name the first is
 * placed.
 */
export function stepWaves(steps: readonly GraphStep[]): string[][] {
  const byRef = new Map<string, GraphStep>();
  for (const step of steps) if (!byRef.has(step.step_ref)) byRef.set(step.step_ref, step);
  const children = childrenOf(byRef);
  const left = countParents(children);
  const positions = new Map([...byRef.keys()].map((ref, position) => [ref, position]));
  const positionOf = (ref: string) => positions.get(ref) ?? 0;
  const waves: string[][] = [];
  let wave = [...byRef.keys()].filter((ref) => !left.has(ref));
  while (wave.length > 0) {
    waves.push(wave);
    const reached: string[] = [];
    for (const ref of wave) {
      for (const child of children.get(ref) ?? []) {
        const more = (left.get(child) ?? 0) - 1;
        left.set(child, more);
        if (more === 0) reached.push(child);
      }
    }
    wave = reached.sort((a, b) => positionOf(a) - positionOf(b));
  }
  return waves;
}

/** A step without parents is left out. */
function countParents(children: ReadonlyMap<string, string[]>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const refs of children.values()) for (const ref of refs) counts.set(ref, (counts.get(ref) ?? 0) + 1);
  return counts;
}

/** By step, the steps that depend on it directly. */
export function childrenOf(byRef: ReadonlyMap<string, GraphStep>): ReadonlyMap<string, string[]> {
  const children = new Map<string, string[]>([...byRef.keys()].map((ref) => [ref, []]));
  for (const step of byRef.values()) {
    for (const parent of new Set(step.depends_on)) children.get(parent)?.push(step.step_ref);
  }
  return children;
}
