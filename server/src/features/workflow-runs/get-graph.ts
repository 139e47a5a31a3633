import type { WorkflowGraph } from "@millrace/contract/workflow-graph";
import { leaveOutOfSteps } from "../../flow/workflows/operate/leave-out-denied.ts";
import { criticalPath } from "../../flow/workflows/plan/critical-path.ts";
import type { WorkflowDefinition } from "../../flow/workflows/plan/definition.ts";
import { listReady } from "../../flow/workflows/plan/list-ready.ts";
import { readEstimates } from "../../flow/workflows/plan/read-estimates.ts";
import { findWorkflowVersion } from "../../flow/workflows/start/workflow-version.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { getWorkflowRun } from "./get-workflow-run.ts";
import { listGraphSteps } from "./graph-queries.ts";

type Graph = Omit<WorkflowGraph, "$schema">;

/** The run is read before its steps, so that the steps of an ended run have ended, too. */
export async function getGraph(ctx: ProjectCtx, id: string): Promise<Graph> {
  const run = await getWorkflowRun(ctx, id);
  const { definition } = await findWorkflowVersion(ctx, run.project_id, run.version_id);
  const steps = await leaveOutOfSteps(ctx, run.id, await listGraphSteps(ctx, run.id));
  const estimates = await readEstimates(ctx, run.version_id, definition);
  const nodes = steps.map((step) => ({ ...step, estimate_ms: estimates.get(step.step_ref) ?? null }));
  const byRef = new Map(nodes.map((node) => [node.step_ref, node]));
  const hasEnded = run.finished_at !== null;
  return {
    workflow_run_id: run.id,
    workflow_id: run.workflow_id,
    version_id: run.version_id,
    version: run.version,
    status: run.status,
    phase: run.phase,
    nodes,
    edges: listEdges(definition),
    runnable: hasEnded ? [] : listReady(definition, byRef),
    critical_path: criticalPath(definition, byRef, hasEnded),
  };
}

function listEdges({ steps }: WorkflowDefinition): Graph["edges"] {
  return steps.flatMap(({ step_ref, depends_on }) => depends_on.map((from) => ({ from, to: step_ref })));
}
