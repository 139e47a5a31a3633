import { Handle, type Node, type NodeProps, Position } from "@xyflow/react";
import { cx } from "./class-names.ts";
import { Countdown } from "./countdown.tsx";
import { DAG_SIZE, type DagNode } from "./dag-types.ts";
import { formatPercent } from "./format.ts";
import { MarkIcon, StatusMark } from "./status-mark.tsx";

export type StepNodeData = DagNode & { isSelected: boolean; isDim: boolean };

const CHANGE_SIGNS = { added: "+", removed: "−", changed: "~" };

/** A step: its status, its name, and what is to be known of it at a glance. */
export function StepNode({ data }: NodeProps<Node<StepNodeData>>) {
  return (
    <div
      className={cx(
        "relative flex flex-col justify-center gap-0.5 rounded-sm border bg-raised px-3 text-left text-sm transition-opacity duration-100",
        data.isSelected ? "border-accent ring-2 ring-accent" : borderOf(data),
        data.count !== undefined && "shadow-[4px_4px_0_-1px_var(--color-hover),4px_4px_0_0_var(--color-border-strong)]",
        data.isDim && "opacity-30",
      )}
      style={DAG_SIZE}
    >
      {data.isRunnable && (
        <span className="pointer-events-none absolute -inset-1 animate-breathe rounded-md border-2 border-running" />
      )}
      <Handle type="target" position={Position.Left} className="!opacity-0" isConnectable={false} />
      <span className="flex items-center gap-1.5">
        {data.status ? (
          <StatusMark status={data.status} as="mark" />
        ) : (
          <span className="grid w-3.5 flex-none place-items-center text-ink-3">
            {data.icon ?? <MarkIcon shape="circle" />}
          </span>
        )}
        <span className="min-w-0 flex-1 truncate font-medium" title={data.label}>
          {data.label}
        </span>
        {data.share !== undefined && (
          <span className="font-medium text-accent text-xs" title="Its part of the critical path">
            {formatPercent(data.share)}
          </span>
        )}
        {data.change && (
          <span className="font-mono font-semibold text-ink text-xs" title={data.change}>
            {CHANGE_SIGNS[data.change]}
          </span>
        )}
      </span>
      <span className="flex items-center justify-between gap-2 text-ink-3 text-xs">
        <span className="truncate" title={data.detail}>
          {[data.kind, data.until ? undefined : data.detail].filter(Boolean).join(" · ") || "\u00a0"}
        </span>
        {data.until && <Countdown until={data.until} className="text-ink-2" />}
      </span>
      <Handle type="source" position={Position.Right} className="!opacity-0" isConnectable={false} />
    </div>
  );
}

function borderOf({ change, isFaulty, share }: StepNodeData): string {
  if (isFaulty) return "border-failed ring-1 ring-failed";
  if (change === "added") return "border-success border-2";
  if (change === "removed") return "border-failed border-2 border-dashed opacity-70";
  if (change === "changed") return "border-retrying border-2";
  return share === undefined ? "border-border-strong" : "border-accent";
}
