import { type FitViewOptions, useReactFlow, useStore } from "@xyflow/react";
import { useEffect, useRef } from "react";
import { DAG_SIZE } from "./dag-types.ts";

type Props = { place: { x: number; y: number } | undefined; fit: FitViewOptions };

const EDGE = 24;
/** Wait until the graph is fitted. */
const AFTER_FIT_MS = 60;

/** Keeps the selected node visible when the selection changes or a panel opens. */
export function KeepSelectedVisible({ place, fit }: Props) {
  const { getViewport, setViewport } = useReactFlow();
  const width = useStore((state) => state.width);
  const height = useStore((state) => state.height);
  useFitAgain(width, height, fit);
  const [x, y] = [place?.x, place?.y];
  useEffect(() => {
    if (x === undefined || y === undefined) return;
    const timer = setTimeout(() => {
      const view = getViewport();
      const right = shiftInto(view.x + x * view.zoom, DAG_SIZE.width * view.zoom, width);
      const down = shiftInto(view.y + y * view.zoom, DAG_SIZE.height * view.zoom, height);
      if (right !== 0 || down !== 0)
        void setViewport({ x: view.x + right, y: view.y + down, zoom: view.zoom }, { duration: 120 });
    }, AFTER_FIT_MS);
    return () => clearTimeout(timer);
  }, [x, y, width, height, getViewport, setViewport]);
  return null;
}

/** On resize, until the user moves the graph. */
function useFitAgain(width: number, height: number, fit: FitViewOptions): void {
  const { fitView } = useReactFlow();
  const pane = useStore((state) => state.domNode);
  const isUserControlled = useRef(false);
  useEffect(() => {
    const take = () => {
      isUserControlled.current = true;
    };
    // Selecting a step moves nothing.
    const press = ({ target }: Event) => (target as Element).closest(".react-flow__node") === null && take();
    pane?.addEventListener("pointerdown", press);
    pane?.addEventListener("wheel", take, { passive: true });
    return () => {
      pane?.removeEventListener("pointerdown", press);
      pane?.removeEventListener("wheel", take);
    };
  }, [pane]);
  useEffect(() => {
    if (width > 0 && height > 0 && !isUserControlled.current) void fitView(fit);
  }, [width, height, fit, fitView]);
}

/** How far to shift so that a span starting at `start` fits between the edges. */
function shiftInto(start: number, length: number, room: number): number {
  if (start < EDGE) return EDGE - start;
  return Math.min(0, room - EDGE - length - start);
}
