import { edgePathsOf } from "@millrace/contract/workflows/edge-paths";
import { FAMILY_COLOR, lookOf, type StatusFamily } from "../state/statuses.ts";
import { DAG_SIZE, type DagEdge, type DagNode } from "./dag-types.ts";
import { layoutDag, type Places } from "./use-dag-layout.ts";

/** A graph as Mermaid, with statuses as classes. */
export function dagMermaid(nodes: DagNode[], edges: DagEdge[]): string {
  const names = new Map(nodes.map(({ id }, nth) => [id, `s${nth}`]));
  const families = new Set(nodes.map(familyOf));
  const lines = nodes.map((node) => {
    const text = [node.label, node.kind].filter(Boolean).join("<br/>").replaceAll('"', "#quot;");
    return `  ${names.get(node.id)}["${text}"]:::${familyOf(node)}`;
  });
  const arrows = edges.map(
    ({ from, to, isCritical }) => `  ${names.get(from)} ${isCritical ? "==>" : "-->"} ${names.get(to)}`,
  );
  const classes = [...families].map((family) => `  classDef ${family} stroke:${colorOf(family)},stroke-width:2px`);
  return ["graph LR", ...lines, ...arrows, ...classes, ""].join("\n");
}

/** A graph as a self-contained SVG in the colors of the current theme. */
export async function dagSvg(nodes: DagNode[], edges: DagEdge[]): Promise<string> {
  const places = await layoutDag(nodes, edges, DAG_SIZE);
  const edgePaths = edgePathsOf(edges, places, DAG_SIZE);
  const { width, height } = DAG_SIZE;
  const [right, bottom] = (["x", "y"] as const).map((axis) =>
    Math.max(0, ...Object.values(places).map((place) => place[axis])),
  ) as [number, number];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${right + width + 16} ${bottom + height + 16}" font-family="system-ui, sans-serif">`,
    `<rect width="100%" height="100%" fill="${resolve("var(--color-bg)")}"/>`,
    ...edges.map((edge) => edgePath(edge, edgePaths.get(`${edge.from}→${edge.to}`) ?? "")),
    ...nodes.map((node) => nodeBox(node, places)),
    "</svg>\n",
  ].join("\n");
}

function nodeBox(node: DagNode, places: Places): string {
  const { x, y } = places[node.id] ?? { x: 0, y: 0 };
  const { width, height } = DAG_SIZE;
  const color = node.status ? colorOf(familyOf(node)) : resolve("var(--color-border-strong)");
  const detail = [node.kind, node.status && lookOf(node.status).label].filter(Boolean).join(" · ");
  return (
    `<g transform="translate(${x} ${y})"><rect width="${width}" height="${height}" rx="6" fill="${resolve("var(--color-raised)")}" stroke="${color}" stroke-width="1.5"/>` +
    `<text x="12" y="23" font-size="13" font-weight="600" fill="${resolve("var(--color-ink)")}">${escaped(cut(node.label))}</text>` +
    `<text x="12" y="41" font-size="12" fill="${resolve("var(--color-ink-2)")}">${escaped(cut(detail))}</text></g>`
  );
}

function edgePath({ isCritical }: DagEdge, pathData: string): string {
  const color = resolve(isCritical ? "var(--color-accent)" : "var(--color-border-strong)");
  return `<path d="${pathData}" fill="none" stroke="${color}" stroke-width="${isCritical ? 3 : 1.25}"/>`;
}

function familyOf({ status }: DagNode): StatusFamily {
  return status ? lookOf(status).family : "unknown";
}

function colorOf(family: StatusFamily): string {
  return resolve(FAMILY_COLOR[family]);
}

/** SVG files do not support CSS variables, so they are resolved here. */
function resolve(name: string): string {
  const probe = document.createElement("span");
  probe.style.color = name;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  const parts = /^rgba?\((\d+), (\d+), (\d+)/.exec(color)?.slice(1) ?? [];
  // Mermaid treats commas as separators.
  return parts.length === 3 ? `#${parts.map((part) => Number(part).toString(16).padStart(2, "0")).join("")}` : color;
}

const MAX_CHARACTERS = 28;

function cut(text: string): string {
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS - 1)}…` : text;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
