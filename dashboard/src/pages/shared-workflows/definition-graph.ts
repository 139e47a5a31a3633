import type { WorkflowStep } from "@millrace/contract/workflows/workflow-steps";
import { createElement } from "react";
import type { DagEdge, DagNode } from "../../parts/dag/dag-types.ts";
import { formatDuration } from "../../parts/format.ts";
import { kindOf } from "./step-kinds.ts";

type Step = Pick<WorkflowStep, "step_ref"> & Partial<WorkflowStep>;

/** A workflow definition as a graph. `nameOf` resolves ids of jobs and workflows. */
export function definitionGraph(steps: readonly Step[], nameOf: (id: string) => string | undefined) {
  const known = new Set(steps.map(({ step_ref }) => step_ref));
  const nodes: DagNode[] = steps.map((step) => ({
    id: step.step_ref,
    label: step.step_ref,
    kind: kindOf(step.type ?? "job").label,
    icon: createElement(kindOf(step.type ?? "job").Icon, { size: 14, "aria-hidden": true }),
    detail: detailOf(step, nameOf),
  }));
  const edges: DagEdge[] = steps.flatMap(({ step_ref, depends_on = [] }) =>
    depends_on.filter((from) => known.has(from)).map((from) => ({ from, to: step_ref })),
  );
  return { nodes, edges };
}

/** The most important detail of a step, by type. */
function detailOf(step: Step, nameOf: (id: string) => string | undefined): string {
  const target = step.job_id ?? step.workflow_id;
  const main = step.event_key ?? step.sleep_duration ?? (target ? (nameOf(target) ?? "") : "");
  const policy = step.on_failure && step.on_failure !== "fail_workflow" ? step.on_failure.replaceAll("_", " ") : "";
  const limit = step.timeout_secs ? `≤ ${formatDuration(step.timeout_secs * 1_000)}` : "";
  return [main, limit, step.condition ? "if …" : "", policy].filter(Boolean).join(" · ");
}
