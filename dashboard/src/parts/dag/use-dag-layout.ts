import { layerGraph } from "@millrace/contract/workflows/layer-graph";
import { useEffect, useMemo, useState } from "react";
import type { LayoutDone, LayoutRequest } from "./dag-layout-worker.ts";
import type { DagDirection, DagEdge, DagNode } from "./dag-types.ts";

export type Places = Record<string, { x: number; y: number }>;
type Size = { width: number; height: number };

/** Above this the worker layout is too slow: 500 nodes would take seconds. */
export const LARGE_FROM = 151;

/** Node positions. A status change does not change the layout. */
export function useDagLayout(
  nodes: DagNode[],
  edges: DagEdge[],
  size: Size,
  direction: DagDirection,
): Places | undefined {
  const [places, setPlaces] = useState<Places>();
  const shape = useMemo(
    () => JSON.stringify(requestOf(nodes, edges, size, direction)),
    [nodes, edges, size, direction],
  );
  const isLarge = nodes.length >= LARGE_FROM;
  const layered = useMemo(() => (isLarge ? layer(JSON.parse(shape)) : undefined), [isLarge, shape]);
  useEffect(() => {
    if (isLarge) return;
    const { done, stop } = layOut(JSON.parse(shape));
    void done.then(setPlaces);
    return stop;
  }, [isLarge, shape]);
  return layered ?? places;
}

/** One-off layout for an export. */
export async function layoutDag(nodes: DagNode[], edges: DagEdge[], size: Size): Promise<Places> {
  const request = requestOf(nodes, edges, size, "right");
  return nodes.length >= LARGE_FROM ? layer(request) : layOut(request).done;
}

function requestOf(nodes: DagNode[], edges: DagEdge[], size: Size, direction: DagDirection): LayoutRequest {
  const pairs = edges.map(({ from, to }): [string, string] => [from, to]);
  return { id: 1, nodes: nodes.map(({ id }) => id), edges: pairs, ...size, direction };
}

function layer({ nodes, edges, width, height }: LayoutRequest): Places {
  return layerGraph(
    nodes,
    edges.map(([from, to]) => ({ from, to })),
    { width, height },
  );
}

function layOut(request: LayoutRequest): { done: Promise<Places>; stop: () => void } {
  const worker = new Worker(new URL("./dag-layout-worker.ts", import.meta.url), { type: "module" });
  const done = new Promise<Places>((resolve) => {
    worker.onmessage = ({ data }: MessageEvent<LayoutDone>) => {
      worker.terminate();
      resolve(data.places);
    };
  });
  worker.postMessage(request);
  return { done, stop: () => worker.terminate() };
}
