import { edgesOf } from "@millrace/contract/workflows/draw-graph";
import { edgePathsOf } from "@millrace/contract/workflows/edge-paths";
import { layerGraph } from "@millrace/contract/workflows/layer-graph";
import type { Workflow } from "@millrace/contract/workflows/workflows";

type Step = Workflow["steps"][number];

const SIZE = { width: 192, height: 54 };
const MARGIN = 16;
const MAX_CHARACTERS = 26;

/** The steps as a self-contained SVG. Its colors suit light and dark pages. */
export function drawSvg(steps: Step[]): string {
  const edges = edgesOf(steps);
  const places = layerGraph(
    steps.map(({ step_ref }) => step_ref),
    edges,
    SIZE,
  );
  const points = Object.values(places);
  const right = Math.max(0, ...points.map(({ x }) => x)) + SIZE.width + MARGIN;
  const bottom = Math.max(0, ...points.map(({ y }) => y)) + SIZE.height + MARGIN;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${round(right)} ${round(bottom)}" font-family="system-ui, sans-serif">`,
    ...[...edgePathsOf(edges, places, SIZE).values()].map(
      (path) => `<path d="${path}" fill="none" stroke="#8a8f98" stroke-width="1.25"/>`,
    ),
    ...steps.map((step) => boxOf(step, places[step.step_ref] ?? { x: 0, y: 0 })),
    "</svg>\n",
  ].join("\n");
}

function boxOf({ step_ref, type }: Step, { x, y }: { x: number; y: number }): string {
  const { width, height } = SIZE;
  return (
    `<g transform="translate(${round(x)} ${round(y)})">` +
    `<rect width="${width}" height="${height}" rx="6" fill="#f6f7f9" stroke="#8a8f98"/>` +
    `<text x="12" y="23" font-size="13" font-weight="600" fill="#16181d">${escaped(cut(step_ref))}</text>` +
    `<text x="12" y="41" font-size="12" fill="#565b66">${escaped(type)}</text></g>`
  );
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function cut(text: string): string {
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS - 1)}…` : text;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
