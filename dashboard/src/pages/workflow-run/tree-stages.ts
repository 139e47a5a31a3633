import { stagesOf } from "@millrace/contract/workflows/graph-stages";
import type { GraphNode, WorkflowRunView } from "./use-workflow-run.ts";

export type Stage = { stage: number; id: string; nodes: GraphNode[] };

/** Steps by stage: a stage depends only on earlier ones, so its steps can run in parallel. */
export function treeStages({ graph }: WorkflowRunView, refs: ReadonlySet<string>): Stage[] {
  const places = stagesOf(
    graph.nodes.map(({ step_ref }) => step_ref),
    graph.edges,
  );
  const byStage = new Map<number, GraphNode[]>();
  for (const node of graph.nodes) {
    if (!refs.has(node.step_ref)) continue;
    const stage = places.get(node.step_ref) ?? 0;
    byStage.set(stage, [...(byStage.get(stage) ?? []), node]);
  }
  return [...byStage].sort(([a], [b]) => a - b).map(([stage, nodes]) => ({ stage, id: `stage ${stage}`, nodes }));
}
