import { drawMermaid, edgesOf } from "@millrace/contract/workflows/draw-graph";
import type { Workflow } from "@millrace/contract/workflows/workflows";
import { withSlug } from "../../../api/names.ts";
import { command, required, text } from "../../../command.ts";
import { CommandError } from "../../../command-error.ts";
import { printJson } from "../../../output/print-object.ts";
import { drawSvg } from "../../../workflows/draw-svg.ts";
import { placeSteps } from "../../../workflows/place-steps.ts";

type Step = Workflow["steps"][number];

const FORMATS: Record<string, (steps: Step[]) => string> = {
  ascii: drawTree,
  mermaid: drawMermaid,
  svg: drawSvg,
  dot: drawDot,
};

export const workflowsGraph = command({
  name: "workflows graph",
  summary: "draw the steps of a workflow",
  args: [required("workflow", "slug or id of the workflow")],
  options: { format: text("--format <format>", "ascii (default), mermaid, svg or dot") },
  examples: [
    "millrace workflows graph order --format mermaid",
    "millrace workflows graph order --format svg > order.svg",
  ],
  run: async (cli, { args: [given = ""], options }) => {
    const draw = FORMATS[options.format ?? "ascii"];
    if (!draw) {
      throw new CommandError("usage", `Unknown format "${options.format}".`, [
        `Use ${Object.keys(FORMATS).join(", ")}.`,
      ]);
    }
    const { steps } = await withSlug(cli, "workflows", given, (path) => cli.client().request<Workflow>("GET", path));
    if (cli.format !== "human") return printJson(cli, { steps: steps.map(nodeOf), edges: edgesOf(steps) });
    cli.write(draw(steps));
  },
});

function nodeOf({ step_ref, type }: Step) {
  return { step_ref, type };
}

function drawTree(steps: Step[]): string {
  const lines = placeSteps(steps, edgesOf(steps)).map(({ step, branch, alsoAfter }) => {
    const kind = step.type === "job" ? "" : ` [${step.type}]`;
    const also = alsoAfter.length > 0 ? ` (also after ${alsoAfter.join(", ")})` : "";
    return `${branch}${step.step_ref}${kind}${also}\n`;
  });
  return lines.join("");
}

function drawDot(steps: Step[]): string {
  const quoted = (value: string) => JSON.stringify(value);
  const nodes = steps.map(({ step_ref, type }) => `  ${quoted(step_ref)} [tooltip=${quoted(type)}];\n`);
  const edges = edgesOf(steps).map(({ from, to }) => `  ${quoted(from)} -> ${quoted(to)};\n`);
  return `digraph workflow {\n  rankdir=LR;\n${nodes.join("")}${edges.join("")}}\n`;
}
