import type { WorkflowGraph } from "@millrace/contract/workflow-graph";
import type { WorkflowRunState } from "@millrace/contract/workflow-runs";
import type { Cli } from "../cli.ts";
import { paintStatus, signOf } from "./status.ts";
import { tookOf } from "./times.ts";

type Step = WorkflowRunState["steps"][number];
type Edges = WorkflowGraph["edges"];

/**
 * Renders a workflow run as a tree. A step is placed below its deepest dependency; its other dependencies are named.
 */
export function stepTree(cli: Cli, { run, steps }: WorkflowRunState, edges: Edges): string[] {
  const below = new Map<string | undefined, Step[]>();
  for (const step of steps) {
    const parent = parentOf(step, steps, edges);
    below.set(parent, [...(below.get(parent) ?? []), step]);
  }
  const lines = [headOf(cli, run)];
  const walk = (parent: string | undefined, indent: string) => {
    const children = below.get(parent) ?? [];
    children.forEach((step, nth) => {
      const isLast = nth === children.length - 1;
      lines.push(
        cut(
          cli,
          `${cli.colors.dim(indent + (isLast ? "└─ " : "├─ "))}${lineOf(cli, step, others(step, parent, edges))}`,
        ),
      );
      walk(step.step_ref, indent + (isLast ? "   " : "│  "));
    });
  };
  walk(undefined, "");
  return lines;
}

function headOf(cli: Cli, run: WorkflowRunState["run"]): string {
  const phase = run.phase === null ? "" : ` ${run.phase}`;
  const error = run.error ? ` ${run.error.message}` : "";
  const took = cli.colors.dim(tookOf(run.started_at, run.finished_at));
  return cut(
    cli,
    `${signOf(cli.colors, run.status)} ${run.id}  ${paintStatus(cli.colors, run.status)}${phase}${error}  ${took}`,
  );
}

/** Steps are in definition order, not necessarily after their dependencies, so depth decides first. */
function parentOf(step: Step, steps: Step[], edges: Edges): string | undefined {
  const parents = edges.filter(({ to }) => to === step.step_ref).map(({ from }) => from);
  const rank = (ref: string) =>
    depthOf(ref, edges) * steps.length + steps.findIndex(({ step_ref }) => step_ref === ref);
  return parents.toSorted((a, b) => rank(b) - rank(a))[0];
}

function depthOf(ref: string, edges: Edges, known = new Map<string, number>()): number {
  const found = known.get(ref);
  if (found !== undefined) return found;
  known.set(ref, 0); // graphs have no cycles; this stops the recursion if one did
  const depth = Math.max(0, ...edges.filter(({ to }) => to === ref).map(({ from }) => depthOf(from, edges, known) + 1));
  known.set(ref, depth);
  return depth;
}

function others({ step_ref }: Step, parent: string | undefined, edges: Edges): string[] {
  return edges.filter(({ from, to }) => to === step_ref && from !== parent).map(({ from }) => from);
}

function lineOf({ colors }: Cli, step: Step, after: string[]): string {
  const kind = step.type === "job" ? "" : ` ${colors.dim(step.type)}`;
  const error = step.error ? ` ${colors.red(oneLine(step.error.message))}` : "";
  const message = step.status === "waiting" && step.message ? ` ${oneLine(step.message)}` : "";
  const compensation =
    step.compensation_status === null ? "" : ` ${colors.yellow(`compensation: ${step.compensation_status}`)}`;
  const also = after.length === 0 ? "" : colors.dim(` (also after ${after.join(", ")})`);
  const took = colors.dim(tookOf(step.started_at, step.finished_at));
  return `${signOf(colors, step.status)} ${step.step_ref}${kind}  ${paintStatus(colors, step.status)} ${took}${compensation}${error}${message}${also}`;
}

function oneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, " ");
}

/** A wrapped line would break the line count. Color codes have no width. */
function cut({ terminal, colors }: Cli, line: string): string {
  let room = terminal.columns - 1;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: matches the escape character of color codes
  const parts = line.split(/(\x1b\[\d+m)/);
  const kept = parts.map((part, nth) => {
    if (nth % 2 === 1) return part;
    const shown = part.slice(0, Math.max(0, room));
    room -= shown.length;
    return shown;
  });
  return room > 0 ? line : `${kept.join("")}${colors.reset("")}`;
}
