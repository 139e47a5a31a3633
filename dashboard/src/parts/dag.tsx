import { lazy, Suspense } from "react";
import { cx } from "./class-names.ts";
import type { DagProps } from "./dag-types.ts";
import { Skeleton } from "./skeleton.tsx";

/** Called early by a page that will draw a graph: the code comes while its data does. */
export const loadDag = () => import("./dag-canvas.tsx");
const DagCanvas = lazy(loadDag);

/** A graph of steps. The canvas and the layout are loaded when first needed; the layout is computed in a worker. */
export function Dag(props: DagProps) {
  return (
    <div
      className={cx("overflow-hidden", props.fill ? "h-full" : "card")}
      style={props.fill ? undefined : { height: props.height ?? 420 }}
    >
      <Suspense fallback={<Skeleton className="h-full w-full !bg-surface" />}>
        <DagCanvas {...props} />
      </Suspense>
    </div>
  );
}
