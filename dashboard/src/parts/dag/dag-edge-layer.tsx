import { ViewportPortal } from "@xyflow/react";
import { memo, useMemo } from "react";
import { DAG_SIZE, type DagEdge } from "./dag-types.ts";
import type { Places } from "./use-dag-layout.ts";

type Props = { edges: readonly DagEdge[]; places: Places; lineage: ReadonlySet<string> | undefined };

const LOOKS = {
  plain: { stroke: "var(--color-border-strong)", strokeWidth: 1.25, opacity: 1 },
  dim: { stroke: "var(--color-border-strong)", strokeWidth: 1.25, opacity: 0.2 },
  critical: { stroke: "var(--color-accent)", strokeWidth: 3, opacity: 1 },
  invalid: { stroke: "var(--color-failed)", strokeWidth: 3, opacity: 1 },
};
type Look = keyof typeof LOOKS;

/** One path element per edge style: a thousand components would be too slow. */
export const DagEdgeLayer = memo(function DagEdgeLayer({ edges, places, lineage }: Props) {
  const lines = useMemo(() => linesOf(edges, places, lineage), [edges, places, lineage]);
  return (
    <ViewportPortal>
      <svg className="pointer-events-none absolute top-0 left-0 -z-10 size-px overflow-visible" aria-hidden="true">
        {[...lines].map(([look, d]) => (
          <path key={look} d={d} fill="none" style={LOOKS[look]} />
        ))}
      </svg>
    </ViewportPortal>
  );
});

function linesOf(edges: readonly DagEdge[], places: Places, lineage: Props["lineage"]): Map<Look, string> {
  const lines = new Map<Look, string>();
  for (const edge of edges) {
    const look = lookOf(edge, lineage);
    lines.set(look, (lines.get(look) ?? "") + curveOf(edge, places));
  }
  return lines;
}

function lookOf({ from, to, isCritical, isInvalid }: DagEdge, lineage: Props["lineage"]): Look {
  if (lineage && !(lineage.has(from) && lineage.has(to))) return "dim";
  if (isInvalid) return "invalid";
  return isCritical ? "critical" : "plain";
}

function curveOf({ from, to }: DagEdge, places: Places): string {
  const [start, end] = [places[from], places[to]];
  if (!start || !end) return "";
  const [x1, y1] = [start.x + DAG_SIZE.width, start.y + DAG_SIZE.height / 2];
  const [x2, y2] = [end.x, end.y + DAG_SIZE.height / 2];
  const half = (x1 + x2) / 2;
  return `M${x1} ${y1}C${half} ${y1} ${half} ${y2} ${x2} ${y2}`;
}
