import { useMemo } from "react";
import { Dag } from "../../parts/dag.tsx";

/** Draws a dependency cycle. */
export function CyclePicture({ faults }: { faults: readonly { message: string }[] }) {
  const ways = useMemo(() => faults.flatMap(({ message }) => wayOf(message)), [faults]);
  const [way] = ways;
  const graph = useMemo(() => (way ? graphOf(way) : undefined), [way]);
  if (!way || !graph) return null;
  return (
    <figure className="m-0 flex flex-col gap-1.5">
      <figcaption className="text-ink-2 text-xs">These steps depend on each other: {way.join(" → ")}</figcaption>
      <Dag label="Dependency cycle" nodes={graph.nodes} edges={graph.edges} height={160} />
    </figure>
  );
}

/** Parses the API message `makes a cycle: a → b → a`. */
function wayOf(message: string): string[][] {
  const [, way] = /makes a cycle: (.+)$/.exec(message) ?? [];
  return way === undefined ? [] : [way.split(" → ")];
}

function graphOf(way: string[]) {
  const nodes = [...new Set(way)].map((id) => ({ id, label: id, isFaulty: true }));
  const edges = way.slice(1).map((to, nth) => ({ from: way[nth] ?? "", to, isFaulty: true }));
  return { nodes, edges };
}
