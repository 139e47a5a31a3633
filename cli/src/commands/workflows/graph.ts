import type { Workflow } from "@millrace/contract/workflows";
import { command, required, text } from "../../command.ts";
import { CommandError } from "../../command-error.ts";
import { withSlug } from "../../names.ts";
import { printJson } from "../../output/print-object.ts";

type Step = Workflow["steps"][number];
type Edge = { from: string; to: string };

const FORMATS: Record<string, (steps: Step[]) => string> = { ascii: drawTree, mermaid: drawMermaid, dot: drawDot };

export const workflowsGraph = command({
  name: "workflows graph",
  summary: "draw the steps of a workflow",
  args: [required("workflow", "slug or id of the workflow")],
  options: { format: text("--format <format>", "ascii (default), mermaid or dot") },
  examples: ["millrace workflows graph order --format mermaid"],
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

function edgesOf(steps: Step[]): Edge[] {
  return steps.flatMap(({ step_ref, depends_on }) => depends_on.map((from) => ({ from, to: step_ref })));
}

/** Each step below the last of its dependencies; the others are named. */
function drawTree(steps: Step[]): string {
  const order = new Map(steps.map(({ step_ref }, nth) => [step_ref, nth]));
  const depths = new Map<string, number>();
  const depthOf = (ref: string): number => {
    const known = depths.get(ref);
    if (known !== undefined) return known;
    depths.set(ref, 0);
    const own = steps.find(({ step_ref }) => step_ref === ref)?.depends_on ?? [];
    const depth = Math.max(0, ...own.map((each) => depthOf(each) + 1));
    depths.set(ref, depth);
    return depth;
  };
  const parentOf = ({ depends_on }: Step) =>
    depends_on.toSorted((a, b) => depthOf(b) - depthOf(a) || (order.get(b) ?? 0) - (order.get(a) ?? 0))[0];
  const lines: string[] = [];
  const walk = (parent: string | undefined, indent: string) => {
    const children = steps.filter((step) => parentOf(step) === parent);
    children.forEach((step, nth) => {
      const isLast = nth === children.length - 1;
      const others = step.depends_on.filter((ref) => ref !== parent);
      const also = others.length > 0 ? ` (also after ${others.join(", ")})` : "";
      const kind = step.type === "job" ? "" : ` [${step.type}]`;
      lines.push(`${indent}${isLast ? "└─ " : "├─ "}${step.step_ref}${kind}${also}\n`);
      walk(step.step_ref, `${indent}${isLast ? "   " : "│  "}`);
    });
  };
  walk(undefined, "");
  return lines.join("");
}

/** Refs may hold characters that mean something to Mermaid, so nodes are numbered and labelled. */
function drawMermaid(steps: Step[]): string {
  const idOf = new Map(steps.map(({ step_ref }, nth) => [step_ref, `s${nth}`]));
  const label = ({ step_ref, type }: Step) =>
    `${step_ref}${type === "job" ? "" : `<br/>${type}`}`.replaceAll('"', "#quot;");
  const nodes = steps.map((step) => `  ${idOf.get(step.step_ref)}["${label(step)}"]\n`);
  const edges = edgesOf(steps).map(({ from, to }) => `  ${idOf.get(from)} --> ${idOf.get(to)}\n`);
  return `flowchart LR\n${nodes.join("")}${edges.join("")}`;
}

function drawDot(steps: Step[]): string {
  const quoted = (value: string) => JSON.stringify(value);
  const nodes = steps.map(({ step_ref, type }) => `  ${quoted(step_ref)} [tooltip=${quoted(type)}];\n`);
  const edges = edgesOf(steps).map(({ from, to }) => `  ${quoted(from)} -> ${quoted(to)};\n`);
  return `digraph workflow {\n  rankdir=LR;\n${nodes.join("")}${edges.join("")}}\n`;
}
