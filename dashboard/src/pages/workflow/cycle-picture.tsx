import { useMemo } from "react";
import { Dag } from "../../parts/dag/dag.tsx";

/** Draws a dependency cycle. */
export function CyclePicture({ issues }: { issues: readonly { message: string }[] }) {
  const cycles = useMemo(() => issues.flatMap(({ message }) => cycleOf(message)), [issues]);
  const [cycle] = cycles;
  const graph = useMemo(() => (cycle ? graphOf(cycle) : undefined), [cycle]);
  if (!cycle || !graph) return null;
  return (
    <figure className="m-0 flex flex-col gap-1.5">
      <figcaption className="text-ink-2 text-xs">These steps depend on each other: {cycle.join(" → ")}</figcaption>
      <Dag label="Dependency cycle" nodes={graph.nodes} edges={graph.edges} height={160} />
    </figure>
  );
}

/** Parses the API message `makes a cycle: a → b → a`. */
function cycleOf(message: string): string[][] {
  const [, cycle] = /makes a cycle: (.+)$/.exec(message) ?? [];
  return cycle === undefined ? [] : [cycle.split(" → ")];
}

function graphOf(cycle: string[]) {
  const nodes = [...new Set(cycle)].map((id) => ({ id, label: id, isInvalid: true }));
  const edges = cycle.slice(1).map((to, nth) => ({ from: cycle[nth] ?? "", to, isInvalid: true }));
  return { nodes, edges };
}
