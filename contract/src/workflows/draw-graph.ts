import type { Workflow } from "./workflows.ts";

type Step = Workflow["steps"][number];
type Edge = { from: string; to: string };

export function edgesOf(steps: Step[]): Edge[] {
  return steps.flatMap(({ step_ref, depends_on }) => depends_on.map((from) => ({ from, to: step_ref })));
}

/** Refs may hold characters that mean something to Mermaid, so nodes are numbered and labeled. */
export function drawMermaid(steps: Step[]): string {
  const idOf = new Map(steps.map(({ step_ref }, nth) => [step_ref, `s${nth}`]));
  const label = ({ step_ref, type }: Step) =>
    `${step_ref}${type === "job" ? "" : `<br/>${type}`}`.replaceAll('"', "#quot;");
  const nodes = steps.map((step) => `  ${idOf.get(step.step_ref)}["${label(step)}"]\n`);
  const edges = edgesOf(steps).map(({ from, to }) => `  ${idOf.get(from)} --> ${idOf.get(to)}\n`);
  return `flowchart LR\n${nodes.join("")}${edges.join("")}`;
}
