import type { DagEdge } from "./dag-types.ts";

/** A node with all its ancestors and descendants. */
export function lineageOf(edges: readonly DagEdge[], id: string): Set<string> {
  return new Set([...reach(edges, id, "to", "from"), ...reach(edges, id, "from", "to")]);
}

/** A node and all its transitive dependents. */
export function descendantsOf(edges: readonly DagEdge[], id: string): Set<string> {
  return reach(edges, id, "from", "to");
}

function reach(edges: readonly DagEdge[], id: string, at: "from" | "to", next: "from" | "to"): Set<string> {
  const byEnd = new Map<string, string[]>();
  for (const edge of edges) byEnd.set(edge[at], [...(byEnd.get(edge[at]) ?? []), edge[next]]);
  const [found, left] = [new Set([id]), [id]];
  for (let each = left.pop(); each !== undefined; each = left.pop()) {
    for (const other of byEnd.get(each) ?? []) {
      if (!found.has(other)) left.push(other);
      found.add(other);
    }
  }
  return found;
}

/** Stages: each node is one stage after its latest dependency. Nodes in a cycle are in the first stage. */
export function stagesOf(ids: readonly string[], edges: readonly DagEdge[]): Map<string, number> {
  const [after, open] = [new Map<string, string[]>(), new Map(ids.map((id) => [id, 0]))];
  for (const { from, to } of edges) {
    after.set(from, [...(after.get(from) ?? []), to]);
    open.set(to, (open.get(to) ?? 0) + 1);
  }
  const stages = new Map(ids.map((id) => [id, 0]));
  const ready = ids.filter((id) => open.get(id) === 0);
  for (let id = ready.shift(); id !== undefined; id = ready.shift()) {
    for (const next of after.get(id) ?? []) {
      stages.set(next, Math.max(stages.get(next) ?? 0, (stages.get(id) ?? 0) + 1));
      open.set(next, (open.get(next) ?? 1) - 1);
      if (open.get(next) === 0) ready.push(next);
    }
  }
  return stages;
}
