import { stagesOf } from "@millrace/contract/workflows/graph-stages";
import type { DagNode } from "../../parts/dag/dag-types.ts";
import { plural } from "../../parts/format.ts";
import type { DagGraph } from "./run-graph.ts";

export const MAX_SHOWN = 150;

export type Grouped = DagGraph & { members: ReadonlyMap<string, readonly string[]>; groupOf: (id: string) => string };

/**
 * Groups steps when there are too many to read: first those with the same dependencies and dependents, then those of
 * one stage, finally those of neighboring stages.
 */
export function groupSteps(graph: DagGraph): Grouped {
  if (graph.nodes.length <= MAX_SHOWN) return collect(graph, (id) => id);
  const siblings = collect(graph, siblingKeys(graph));
  if (siblings.nodes.length <= MAX_SHOWN) return siblings;
  const stages = stagesOf(
    graph.nodes.map(({ id }) => id),
    graph.edges,
  );
  const width = Math.ceil((Math.max(...stages.values()) + 1) / MAX_SHOWN);
  return collect(graph, (id) => String(Math.floor((stages.get(id) ?? 0) / width)));
}

function siblingKeys({ nodes, edges }: DagGraph): (id: string) => string {
  const around = new Map(nodes.map(({ id }) => [id, { before: [] as string[], after: [] as string[] }]));
  for (const { from, to } of edges) {
    around.get(from)?.after.push(to);
    around.get(to)?.before.push(from);
  }
  return (id) => {
    const { before = [], after = [] } = around.get(id) ?? {};
    // A group of one is the step itself.
    return before.length + after.length === 0 ? id : JSON.stringify([before.sort(), after.sort()]);
  };
}

function collect({ nodes, edges }: DagGraph, keyOf: (id: string) => string): Grouped {
  const byKey = new Map<string, DagNode[]>();
  for (const node of nodes) byKey.set(keyOf(node.id), [...(byKey.get(keyOf(node.id)) ?? []), node]);
  const [members, groups] = [new Map<string, string[]>(), new Map<string, string>()];
  const shown = [...byKey.values()].map((inside) => {
    const [first] = inside as [DagNode];
    const id = inside.length === 1 ? first.id : `group:${first.id}`;
    members.set(
      id,
      inside.map((node) => node.id),
    );
    for (const node of inside) groups.set(node.id, id);
    return inside.length === 1 ? first : groupNode(id, inside);
  });
  const groupOf = (id: string) => groups.get(id) ?? id;
  const pairs = new Map<string, DagGraph["edges"][number]>();
  for (const edge of edges) {
    const [from, to] = [groupOf(edge.from), groupOf(edge.to)];
    const isCritical = (edge.isCritical || pairs.get(`${from}→${to}`)?.isCritical) ?? false;
    if (from !== to) pairs.set(`${from}→${to}`, { from, to, isCritical });
  }
  return { nodes: shown, edges: [...pairs.values()], members, groupOf };
}

/** A group shows its most urgent status. */
const URGENCY = ["failed", "running", "waiting", "sleeping", "pending", "canceled", "compensated", "skipped"];

function groupNode(id: string, inside: DagNode[]): DagNode {
  const statuses = new Set(inside.map(({ status }) => status));
  const [first] = inside as [DagNode];
  const done = inside.filter(({ status }) => status === "completed" || status === "skipped").length;
  return {
    id,
    label: `${first.label} +${inside.length - 1}`,
    status: URGENCY.find((status) => statuses.has(status)) ?? "completed",
    kind: plural(inside.length, "step"),
    detail: `${done} done`,
    count: inside.length,
    isRunnable: inside.some(({ isRunnable }) => isRunnable),
  };
}
