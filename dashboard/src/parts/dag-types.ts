import type { ReactNode } from "react";

export type DagNode = {
  id: string;
  label: string;
  /** A status of a run; without one the node is a definition. */
  status?: string;
  kind?: string;
  /** In place of a status, where there is none. */
  icon?: ReactNode;
  detail?: string;
  /** Counted down to, in place of the detail: the end of a wait, the time to wake up. */
  until?: string | undefined;
  /** Of the whole, where the node is on the critical path: 0.62. */
  share?: number | undefined;
  /** How many steps it stands for, when it stands for several. */
  count?: number;
  /** Of a comparison of two versions. */
  change?: "added" | "removed" | "changed" | undefined;
  isRunnable?: boolean;
  isFaulty?: boolean;
};

export type DagEdge = { from: string; to: string; isCritical?: boolean; isFaulty?: boolean; label?: string };

export type DagProps = {
  nodes: DagNode[];
  edges: DagEdge[];
  label: string;
  height?: number | string;
  selected?: string | undefined;
  onSelect?: (id: string) => void;
  /** Keeps what runs in the middle. */
  follow?: boolean;
  /** Fills what holds it, without a frame of its own. */
  fill?: boolean;
};

export const DAG_SIZE = { width: 192, height: 54 };
