type Edge = { from: string; to: string };

/** Stages: each node is one stage after its latest dependency. Nodes in a cycle are in the first stage. */
export function stagesOf(ids: readonly string[], edges: readonly Edge[]): Map<string, number> {
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
