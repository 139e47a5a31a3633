import { edgePathsOf } from "@millrace/contract/workflows/edge-paths";
import { DAG_SIZE, type DagDirection, type DagEdge } from "./dag-types.ts";
import type { Places } from "./use-dag-layout.ts";

/** Edges are routed from left to right; a graph that goes down is routed with its axes swapped. */
export function drawnPathsOf(edges: DagEdge[], places: Places, direction: DagDirection): ReadonlyMap<string, string> {
  if (direction === "right") return edgePathsOf(edges, places, DAG_SIZE);
  const turned = Object.fromEntries(Object.entries(places).map(([id, { x, y }]) => [id, { x: y, y: x }]));
  const paths = edgePathsOf(edges, turned, { width: DAG_SIZE.height, height: DAG_SIZE.width });
  return new Map([...paths].map(([id, path]) => [id, path.replace(/([-\d.e]+) ([-\d.e]+)/g, "$2 $1")]));
}
