import { descendantsOf } from "../../../parts/dag/dag-lineage.ts";
import { type GraphNode, hasEnded, type WorkflowRunView } from "../use-workflow-run.ts";

export type Verb = "retry" | "replay-subtree" | "skip";
export type Resets = { reset: GraphNode[]; unchanged: GraphNode[] };

/** Which steps a retry or replay restarts and which it keeps, by the same rules as the service. */
export function chooseResets({ graph, run }: Pick<WorkflowRunView, "graph" | "run">, ref: string, verb: Verb): Resets {
  const { nodes, edges } = graph;
  const requested = verb === "replay-subtree" ? descendantsOf(edges, ref) : [ref];
  const revived = hasEnded(run) ? nodes.filter(endedWithTheRun).map(({ step_ref }) => step_ref) : [];
  const chosen = withCaused(nodes, [...requested, ...revived]);
  const isReset = ({ step_ref, status }: GraphNode) => chosen.has(step_ref) && status !== "pending";
  return { reset: nodes.filter(isReset), unchanged: nodes.filter((node) => !isReset(node)) };
}

/** Steps canceled with the run restart when it is reopened, and compensated steps run again. */
function endedWithTheRun({ cause, compensation_status }: GraphNode): boolean {
  return cause === "workflow_canceled" || cause === "workflow_timed_out" || compensation_status === "completed";
}

/** Adds every step that was skipped or canceled because of one of them, transitively. */
function withCaused(nodes: readonly GraphNode[], refs: Iterable<string>): Set<string> {
  const chosen = new Set(refs);
  for (let grown = true; grown; ) {
    const caused = nodes.filter(
      ({ step_ref, cause, cause_ref }) =>
        !chosen.has(step_ref) &&
        (cause === "dependency" || cause === "step_failed") &&
        cause_ref !== null &&
        chosen.has(cause_ref),
    );
    for (const { step_ref } of caused) chosen.add(step_ref);
    grown = caused.length > 0;
  }
  return chosen;
}
