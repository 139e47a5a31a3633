import type { EventTrigger } from "@millrace/contract/events/events";
import type { DagEdge, DagNode } from "../../parts/dag/dag-types.ts";
import { formatDuration } from "../../parts/format.ts";
import { kindOf } from "../shared-workflows/step-kinds.ts";
import type { GraphNode, WorkflowRunView } from "./use-workflow-run.ts";

export type DagGraph = { nodes: DagNode[]; edges: DagEdge[] };

/** A workflow run as a graph with statuses and the critical path. */
export function runGraph({ graph, waits }: WorkflowRunView): DagGraph {
  const runnable = new Set(graph.runnable);
  const shares = sharesOf(graph);
  const path = graph.critical_path.step_refs;
  const pairs = new Set(path.slice(1).map((ref, nth) => `${path[nth]}→${ref}`));
  const nodes = graph.nodes.map((node) => ({
    id: node.step_ref,
    label: node.step_ref,
    status: shownStatus(node),
    kind: waitOf(node, waits.get(node.step_ref)) ?? kindOf(node.type).label,
    detail: detailOf(node),
    until: untilOf(node, waits.get(node.step_ref)),
    share: shares.get(node.step_ref),
    isRunnable: runnable.has(node.step_ref) && node.status === "pending",
  }));
  const edges = graph.edges.map(({ from, to }) => ({ from, to, isCritical: pairs.has(`${from}→${to}`) }));
  return { nodes, edges };
}

/** A sleep is not a wait for an event, and a compensated step is not completed. */
export function shownStatus(node: GraphNode): string {
  if (node.compensation_status === "completed") return "compensated";
  return node.type === "sleep" && node.status === "waiting" ? "sleeping" : node.status;
}

export function untilOf(node: GraphNode, wait: EventTrigger | undefined): string | undefined {
  return node.status === "waiting" && wait?.status === "waiting" ? wait.expires_at : undefined;
}

/** What a waiting step waits for, in place of its type. */
function waitOf({ status }: GraphNode, wait: EventTrigger | undefined): string | undefined {
  if (status !== "waiting" || wait?.status !== "waiting") return undefined;
  if (wait.wait_kind === "approval") return "Waiting for approval";
  return wait.wait_kind === "event" ? `Waits for ${wait.event_key}` : undefined;
}

function detailOf(node: GraphNode): string {
  if (node.error) return node.error.code;
  if (node.cause) return node.cause_ref ? `${node.cause.replaceAll("_", " ")}: ${node.cause_ref}` : CAUSES[node.cause];
  if (node.finished_at && node.duration_ms !== null) return formatDuration(node.duration_ms);
  return node.estimate_ms === null ? "" : `~ ${formatDuration(node.estimate_ms)}`;
}

const CAUSES: Record<NonNullable<GraphNode["cause"]>, string> = {
  condition: "condition is false",
  dependency: "dependency",
  manual: "manual",
  step_failed: "a step failed",
  workflow_canceled: "run canceled",
  workflow_timed_out: "run timed out",
};

/** Share of each step in the critical path. */
function sharesOf({ nodes, critical_path }: WorkflowRunView["graph"]): Map<string, number> {
  const byRef = new Map(nodes.map((node) => [node.step_ref, node]));
  const lengths = critical_path.step_refs.map((ref): [string, number] => {
    const node = byRef.get(ref);
    const soFar = node?.duration_ms ?? 0;
    return [ref, node?.finished_at ? soFar : Math.max(soFar, node?.estimate_ms ?? 0)];
  });
  const total = lengths.reduce((sum, [, ms]) => sum + ms, 0);
  return new Map(total === 0 ? [] : lengths.map(([ref, ms]) => [ref, ms / total]));
}

const DONE: ReadonlySet<string> = new Set(["completed", "skipped"]);

/** Removes completed steps and reconnects the edges around them. */
export function withoutDone({ nodes, edges }: DagGraph): DagGraph {
  const hidden = new Set(nodes.filter(({ status }) => DONE.has(status ?? "")).map(({ id }) => id));
  const before = new Map<string, string[]>();
  for (const { from, to } of edges) before.set(to, [...(before.get(to) ?? []), from]);
  const shown = nodes.filter(({ id }) => !hidden.has(id));
  const critical = new Set(edges.filter(({ isCritical }) => isCritical).map(({ from, to }) => `${from}→${to}`));
  const bridged = shown.flatMap(({ id }) => {
    const [seen, left, found] = [new Set<string>(), [...(before.get(id) ?? [])], new Set<string>()];
    for (let from = left.pop(); from !== undefined; from = left.pop()) {
      if (seen.has(from)) continue;
      seen.add(from);
      if (hidden.has(from)) left.push(...(before.get(from) ?? []));
      else found.add(from);
    }
    return [...found].map((from) => ({ from, to: id, isCritical: critical.has(`${from}→${id}`) }));
  });
  return { nodes: shown, edges: bridged };
}
