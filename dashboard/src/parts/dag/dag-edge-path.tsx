import { BaseEdge, type Edge, type EdgeProps } from "@xyflow/react";

/** An edge with a precomputed path. */
export function DagEdgePath({
  data,
  style,
  label,
  sourceX,
  sourceY,
  targetX,
  targetY,
}: EdgeProps<Edge<{ path: string }>>) {
  return (
    <BaseEdge
      path={data?.path ?? ""}
      label={label}
      labelX={(sourceX + targetX) / 2}
      labelY={(sourceY + targetY) / 2}
      {...(style && { style })}
    />
  );
}
