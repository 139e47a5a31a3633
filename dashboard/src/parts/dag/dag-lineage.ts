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
