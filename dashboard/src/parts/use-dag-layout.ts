import { useEffect, useMemo, useState } from "react";
import type { LayoutAsked, LayoutDone } from "./dag-layout-worker.ts";
import type { DagEdge, DagNode } from "./dag-types.ts";

export type Places = Record<string, { x: number; y: number }>;
type Size = { width: number; height: number };

/** Where the nodes stand. A change of status is no change of shape: nothing is placed anew for it. */
export function useDagLayout(nodes: DagNode[], edges: DagEdge[], size: Size): Places | undefined {
  const [places, setPlaces] = useState<Places>();
  const shape = useMemo(
    () => JSON.stringify([nodes.map(({ id }) => id), edges.map(({ from, to }) => [from, to]), size.width, size.height]),
    [nodes, edges, size.width, size.height],
  );
  useEffect(() => {
    const [ids, pairs, width, height] = JSON.parse(shape);
    const { done, stop } = layOut({ id: 1, nodes: ids, edges: pairs, width, height });
    void done.then(setPlaces);
    return stop;
  }, [shape]);
  return places;
}

/** Once, for a picture. */
export function layoutDag(nodes: DagNode[], edges: DagEdge[], size: Size): Promise<Places> {
  const ids = nodes.map(({ id }) => id);
  return layOut({ id: 1, nodes: ids, edges: edges.map(({ from, to }) => [from, to]), ...size }).done;
}

function layOut(asked: LayoutAsked): { done: Promise<Places>; stop: () => void } {
  const worker = new Worker(new URL("./dag-layout-worker.ts", import.meta.url), { type: "module" });
  const done = new Promise<Places>((resolve) => {
    worker.onmessage = ({ data }: MessageEvent<LayoutDone>) => {
      worker.terminate();
      resolve(data.places);
    };
  });
  worker.postMessage(asked);
  return { done, stop: () => worker.terminate() };
}
