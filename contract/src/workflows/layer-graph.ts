import { stagesOf } from "./graph-stages.ts";

type Edge = { from: string; to: string };
type Place = { x: number; y: number };
type Size = { width: number; height: number };
type Neighbors = { before: ReadonlyMap<string, readonly string[]>; after: ReadonlyMap<string, readonly string[]> };

const [BETWEEN, BETWEEN_STAGES, MARGIN, SWEEPS] = [20, 96, 16, 4];

/**
 * Layered layout for large graphs: places nodes near their neighbors. Long edges may pass behind nodes; routing them
 * would take seconds instead of milliseconds.
 */
export function layerGraph(ids: readonly string[], edges: readonly Edge[], size: Size): Record<string, Place> {
  const near = neighborsOf(edges);
  const stages = layersOf(ids, edges);
  for (let sweep = 0; sweep < SWEEPS; sweep++) sortEach(stages, sweep % 2 === 0 ? near.before : near.after, sweep);
  const step = size.height + BETWEEN;
  const tops = new Map<string, number>();
  for (const stage of stages) stage.forEach((id, nth) => void tops.set(id, (nth - (stage.length - 1) / 2) * step));
  for (const stage of stages) moveTowards(stage, near.before, tops, step);
  for (const stage of stages.toReversed()) moveTowards(stage, near.after, tops, step);
  const highest = Math.min(0, ...tops.values());
  return Object.fromEntries(
    stages.flatMap((stage, nth) =>
      stage.map((id) => {
        const x = MARGIN + nth * (size.width + BETWEEN_STAGES);
        return [id, { x, y: MARGIN + (tops.get(id) ?? 0) - highest }];
      }),
    ),
  );
}

function neighborsOf(edges: readonly Edge[]): Neighbors {
  const [before, after] = [new Map<string, string[]>(), new Map<string, string[]>()];
  const join = (map: Map<string, string[]>, one: string, other: string) => {
    const list = map.get(one);
    if (list) list.push(other);
    else map.set(one, [other]);
  };
  for (const { from, to } of edges) {
    join(before, to, from);
    join(after, from, to);
  }
  return { before, after };
}

function layersOf(ids: readonly string[], edges: readonly Edge[]): string[][] {
  const layers: string[][] = [];
  for (const [id, nth] of stagesOf(ids, edges)) {
    const layer = layers[nth] ?? [];
    layers[nth] = layer;
    layer.push(id);
  }
  return layers;
}

/** Orders each stage by its neighbors to reduce crossings. Every second sweep runs backwards. */
function sortEach(stages: string[][], joined: ReadonlyMap<string, readonly string[]>, sweep: number): void {
  const nths = new Map<string, number>();
  const note = (stage: string[]) => stage.forEach((id, nth) => void nths.set(id, nth / stage.length));
  for (const stage of stages) note(stage);
  for (const stage of sweep % 2 === 0 ? stages : stages.toReversed()) {
    const wish = new Map(stage.map((id) => [id, meanOf(joined.get(id), nths) ?? nths.get(id) ?? 0]));
    stage.sort((a, b) => (wish.get(a) ?? 0) - (wish.get(b) ?? 0));
    note(stage);
  }
}

/**
 * Places nodes as close to their neighbors as order and height allow (least squares). Colliding nodes move as one
 * block.
 */
function moveTowards(
  stage: readonly string[],
  joined: ReadonlyMap<string, readonly string[]>,
  tops: Map<string, number>,
  step: number,
): void {
  const blocks: { sum: number; count: number }[] = [];
  stage.forEach((id, nth) => {
    let block = { sum: (meanOf(joined.get(id), tops) ?? tops.get(id) ?? 0) - nth * step, count: 1 };
    for (let last = blocks.at(-1); last && last.sum / last.count >= block.sum / block.count; last = blocks.at(-1)) {
      block = { sum: last.sum + block.sum, count: last.count + block.count };
      blocks.pop();
    }
    blocks.push(block);
  });
  let nth = 0;
  for (const { sum, count } of blocks) {
    for (const end = nth + count; nth < end; nth++) tops.set(stage[nth] ?? "", sum / count + nth * step);
  }
}

function meanOf(ids: readonly string[] | undefined, of: ReadonlyMap<string, number>): number | undefined {
  if (!ids || ids.length === 0) return undefined;
  return ids.reduce((sum, id) => sum + (of.get(id) ?? 0), 0) / ids.length;
}
