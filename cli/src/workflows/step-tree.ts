import type { WorkflowGraph } from "@millrace/contract/workflows/workflow-graph";
import type { WorkflowRunState } from "@millrace/contract/workflows/workflow-runs";
import type { Cli } from "../cli.ts";
import { paintStatus, signOf } from "../output/status.ts";
import { tookOf } from "../output/times.ts";
import { placeSteps } from "./place-steps.ts";

type Step = WorkflowRunState["steps"][number];
type Edges = WorkflowGraph["edges"];

/** Renders a workflow run as a tree of its steps. */
export function stepTree(cli: Cli, { run, steps }: WorkflowRunState, edges: Edges): string[] {
  const lines = placeSteps(steps, edges).map(({ step, branch, alsoAfter }) =>
    cut(cli, `${cli.colors.dim(branch)}${lineOf(cli, step, alsoAfter)}`),
  );
  return [headOf(cli, run), ...lines];
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
