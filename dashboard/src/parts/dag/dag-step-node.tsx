import { Handle, type Node, type NodeProps, Position, type ReactFlowState, useStore } from "@xyflow/react";
import { cx } from "../class-names.ts";
import { formatPercent } from "../format.ts";
import { Countdown } from "../state/countdown.tsx";
import { MarkIcon, StatusMark } from "../state/status-mark.tsx";
import { FAMILY_COLOR, lookOf } from "../state/statuses.ts";
import { DAG_SIZE, type DagNode } from "./dag-types.ts";

export type StepNodeData = DagNode & { isSelected: boolean; isDim: boolean };

const CHANGE_SIGNS = { added: "+", removed: "−", changed: "~" };

/** Text on screen is never smaller than this. */
const [MIN_PX, NORMAL_PX] = [12, 13];
/** Below the first zoom level only the label fits, below the second only the status. */
const [LABEL_BELOW, FAR_BELOW] = [0.8, 0.4];
/** Quantized, so that nodes do not render at every zoom event. */
const zoomStep = ({ transform: [, , zoom] }: ReactFlowState) => Math.min(1, Math.round(zoom * 20) / 20);

/** A step with individually drawn edges. */
export function JoinedStepNode(props: NodeProps<Node<StepNodeData>>) {
  return (
    <>
      <Handle type="target" position={Position.Left} className="!opacity-0" isConnectable={false} />
      <StepNode {...props} />
      <Handle type="source" position={Position.Right} className="!opacity-0" isConnectable={false} />
    </>
  );
}

/** A step: status, name and key detail. */
export function StepNode({ data }: NodeProps<Node<StepNodeData>>) {
  const zoom = useStore(zoomStep);
  const isFar = zoom < FAR_BELOW;
  return (
    <div
      className={cx(
        "relative flex flex-col justify-center gap-0.5 rounded-sm border bg-raised px-3 text-left text-sm transition-opacity duration-100",
        data.isSelected ? "border-accent ring-2 ring-accent" : borderOf(data),
        data.count !== undefined && "shadow-[4px_4px_0_-1px_var(--color-hover),4px_4px_0_0_var(--color-border-strong)]",
        data.isDim && "opacity-30",
      )}
      style={isFar && data.status ? { ...DAG_SIZE, background: FAMILY_COLOR[lookOf(data.status).family] } : DAG_SIZE}
    >
      {data.isRunnable && (
        <span className="pointer-events-none absolute -inset-1 animate-breathe rounded-md border-2 border-running" />
      )}
      {isFar ? <Mark data={data} /> : <Words data={data} zoom={zoom} />}
    </div>
  );
}

function Words({ data, zoom }: { data: StepNodeData; zoom: number }) {
  if (zoom < LABEL_BELOW)
    return (
      <span className="flex items-center gap-1.5" style={{ fontSize: MIN_PX / zoom }}>
        <Mark data={data} />
        <span className="min-w-0 flex-1 truncate font-medium leading-tight" title={data.label}>
          {data.label}
        </span>
      </span>
    );
  const small = { fontSize: MIN_PX / zoom };
  return (
    <>
      <span className="flex items-center gap-1.5" style={{ fontSize: Math.max(NORMAL_PX, MIN_PX / zoom) }}>
        <Mark data={data} />
        <span className="min-w-0 flex-1 truncate font-medium leading-tight" title={data.label}>
          {data.label}
        </span>
        {data.share !== undefined && (
          <span className="font-medium text-accent" style={small} title="Share of the critical path">
            {formatPercent(data.share)}
          </span>
        )}
        {data.change && (
          <span className="font-mono font-semibold text-ink" style={small} title={data.change}>
            {CHANGE_SIGNS[data.change]}
          </span>
        )}
      </span>
      <span className="flex items-center justify-between gap-2 text-ink-2 leading-tight" style={small}>
        <span className="truncate" title={data.kind}>
          {[data.kind, data.until ? undefined : data.detail].filter(Boolean).join(" · ") || "\u00a0"}
        </span>
        {data.until && <Countdown until={data.until} className="text-ink-2 [&_[role=timer]]:text-[length:inherit]" />}
      </span>
    </>
  );
}

function Mark({ data: { status, icon } }: { data: StepNodeData }) {
  if (status) return <StatusMark status={status} as="mark" />;
  return (
    <span className="grid w-3.5 flex-none place-items-center text-ink-3">{icon ?? <MarkIcon shape="circle" />}</span>
  );
}

function borderOf({ change, isInvalid, share }: StepNodeData): string {
  if (isInvalid) return "border-failed ring-1 ring-failed";
  if (change === "added") return "border-success border-2";
  if (change === "removed") return "border-failed border-2 border-dashed opacity-70";
  if (change === "changed") return "border-retrying border-2";
  return share === undefined ? "border-border-strong" : "border-accent";
}
