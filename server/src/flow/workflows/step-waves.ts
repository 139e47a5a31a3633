/** The fields of a step that determine its position in the graph. */
export type PlacedStep = { step_ref: string; depends_on?: readonly string[] };

/**
 * Groups steps by their longest distance from a root: the steps of a wave could all start when the waves before have
 * ended. Unknown names are ignored; a step in or behind a cycle is in no wave; of two with one name the first is
 * placed.
 */
export function stepWaves(steps: readonly PlacedStep[]): string[][] {
  const byRef = new Map<string, PlacedStep>();
  for (const step of steps) if (!byRef.has(step.step_ref)) byRef.set(step.step_ref, step);
  const left = new Map([...byRef].map(([ref, step]) => [ref, parentsOf(step, byRef).length]));
  const children = childrenOf(byRef);
  const waves: string[][] = [];
  let wave = [...byRef.keys()].filter((ref) => left.get(ref) === 0);
  while (wave.length > 0) {
    waves.push(wave);
    const reached = new Set<string>();
    for (const child of wave.flatMap((ref) => children.get(ref) ?? [])) {
      const more = (left.get(child) ?? 0) - 1;
      left.set(child, more);
      if (more === 0) reached.add(child);
    }
    wave = [...byRef.keys()].filter((ref) => reached.has(ref));
  }
  return waves;
}

/** By step, the steps that depend on it directly. */
export function childrenOf(byRef: ReadonlyMap<string, PlacedStep>): ReadonlyMap<string, string[]> {
  const children = new Map<string, string[]>([...byRef.keys()].map((ref) => [ref, []]));
  for (const step of byRef.values()) {
    for (const parent of parentsOf(step, byRef)) children.get(parent)?.push(step.step_ref);
  }
  return children;
}

function parentsOf({ depends_on = [] }: PlacedStep, byRef: ReadonlyMap<string, PlacedStep>): string[] {
  return [...new Set(depends_on)].filter((ref) => byRef.has(ref));
}
