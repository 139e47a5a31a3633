import { Graph, layout } from "@dagrejs/dagre";
import type { DagDirection } from "./dag-types.ts";

export type LayoutRequest = {
  id: number;
  nodes: string[];
  edges: [string, string][];
  width: number;
  height: number;
  direction: DagDirection;
};
export type LayoutDone = { id: number; places: Record<string, { x: number; y: number }> };

/** Layout in a worker: 150 nodes take half a second. */
addEventListener("message", ({ data }: MessageEvent<LayoutRequest>) => {
  const { id, nodes, edges, width, height, direction } = data;
  const graph = new Graph();
  const isDown = direction === "down";
  graph.setGraph({ rankdir: isDown ? "TB" : "LR", nodesep: 20, ranksep: isDown ? 36 : 44, marginx: 16, marginy: 16 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const node of nodes) graph.setNode(node, { width, height });
  for (const [from, to] of edges) graph.setEdge(from, to);
  layout(graph);
  const places = Object.fromEntries(
    nodes.map((node) => {
      const { x, y } = graph.node(node) as { x: number; y: number };
      return [node, { x: x - width / 2, y: y - height / 2 }];
    }),
  );
  postMessage({ id, places } satisfies LayoutDone);
});
