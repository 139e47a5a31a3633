import type { ReactNode } from "react";

export type DagNode = {
  id: string;
  label: string;
  /** Run status; nodes of a definition have none. */
  status?: string;
  kind?: string;
  /** Shown instead of a status. */
  icon?: ReactNode;
  detail?: string;
  /** Countdown shown instead of the detail: the end of a wait or sleep. */
  until?: string | undefined;
  /** Share of the critical path, for example 0.62. */
  share?: number | undefined;
  /** Number of steps in a group. */
  count?: number;
  /** Change between two versions. */
  change?: "added" | "removed" | "changed" | undefined;
  isRunnable?: boolean;
  isInvalid?: boolean;
};

export type DagEdge = { from: string; to: string; isCritical?: boolean; isInvalid?: boolean; label?: string };

export type DagDirection = "right" | "down";

export type DagProps = {
  nodes: DagNode[];
  edges: DagEdge[];
  label: string;
  height?: number | string;
  selected?: string | undefined;
  onSelect?: (id: string) => void;
  /** Centers the running steps. */
  follow?: boolean;
  /** Fills its container, without a border. */
  fill?: boolean;
  /** Where dependents are placed: "down" for narrow containers. Large graphs always go right. */
  direction?: DagDirection;
};

export const DAG_SIZE = { width: 192, height: 54 };
