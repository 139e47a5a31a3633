import { lazy, Suspense } from "react";
import { cx } from "../class-names.ts";
import { Skeleton } from "../state/skeleton.tsx";
import type { DagProps } from "./dag-types.ts";

/** Preloads the graph code while the page loads its data. */
export const loadDag = () => import("./dag-canvas.tsx");
const DagCanvas = lazy(loadDag);

/** A graph of steps. Canvas and layout load on first use; the layout runs in a worker. */
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
