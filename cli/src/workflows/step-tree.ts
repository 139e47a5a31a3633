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
  const lines = placeSteps(steps, edges).map(
    ({ step, branch, alsoAfter }) => `${cli.colors.dim(branch)}${lineOf(cli, step, alsoAfter)}`,
  );
  return [headOf(cli, run), ...lines];
}

function headOf(cli: Cli, run: WorkflowRunState["run"]): string {
  const phase = run.phase === null ? "" : ` ${run.phase}`;
  const error = run.error ? ` ${oneLine(run.error.message)}` : "";
  const took = cli.colors.dim(tookOf(run.started_at, run.finished_at));
  return `${signOf(cli.colors, run.status)} ${run.id}  ${paintStatus(cli.colors, run.status)}${phase}${error}  ${took}`;
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
