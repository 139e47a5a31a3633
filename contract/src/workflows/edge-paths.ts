type Edge = { from: string; to: string };
type Place = { x: number; y: number };
type Places = Record<string, Place>;
type Size = { width: number; height: number };

/** Distance between an edge and the nodes it passes. */
const CLEAR = 7;
/** An edge is straight while it passes a node, and slightly before and after. */
const STRAIGHT = 8;

/** SVG paths of edges by `from→to`. Edges over several stages pass between nodes. */
export function edgePathsOf(edges: readonly Edge[], places: Places, size: Size): Map<string, string> {
  const stages = stagesOf(places);
  return new Map(edges.map(({ from, to }) => [`${from}→${to}`, edgePathOf([places[from], places[to]], stages, size)]));
}

/** Tops of the nodes in each column. */
function stagesOf(places: Places): [x: number, tops: number[]][] {
  const stages = new Map<number, number[]>();
  for (const { x, y } of Object.values(places)) {
    const left = Math.round(x);
    stages.set(left, [...(stages.get(left) ?? []), y]);
  }
  return [...stages].sort(([a], [b]) => a - b);
}

function edgePathOf(
  [from, to]: [Place | undefined, Place | undefined],
  stages: [number, number[]][],
  { width, height }: Size,
): string {
  if (!from || !to) return "";
  const end = { x: to.x, y: to.y + height / 2 };
  let at = { x: from.x + width, y: from.y + height / 2 };
  let path = `M${at.x} ${at.y}`;
  for (const [x, tops] of stages.filter(([x]) => x > from.x + width && x + width < to.x)) {
    const straight = at.y + ((end.y - at.y) * (x + width / 2 - at.x)) / (end.x - at.x);
    const y = freeNear(straight, tops, height);
    path += bend(at, { x: x - STRAIGHT, y });
    at = { x: x + width + STRAIGHT, y };
    path += `L${at.x} ${at.y}`;
  }
  return path + bend(at, end);
}

/** The nearest height at which no node is placed. */
function freeNear(y: number, tops: readonly number[], nodeHeight: number): number {
  const isFree = (height: number) => tops.every((top) => height <= top - CLEAR || height >= top + nodeHeight + CLEAR);
  const edges = tops.flatMap((top) => [top - CLEAR, top + nodeHeight + CLEAR]).filter(isFree);
  if (isFree(y) || edges.length === 0) return y;
  return edges.reduce((best, edge) => (Math.abs(edge - y) < Math.abs(best - y) ? edge : best));
}

function bend(from: Place, to: Place): string {
  const half = (from.x + to.x) / 2;
  return `C${half} ${from.y} ${half} ${to.y} ${to.x} ${to.y}`;
}
