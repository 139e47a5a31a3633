import type { SchemaNode } from "./schema-node.ts";

/** How many schemas may be applied to the same value. */
const MAX_EXPANSION = 2_000;

/**
 * Refuses a schema that applies too many schemas to one value by `$ref`, `allOf` and the like. Each is counted once and
 * its cost cached, so that 26 levels of two references, which are 67 million schemas, take 52 additions.
 */
export function refuseExpansion(nodes: readonly SchemaNode[]): void {
  const costs = new Map<SchemaNode, number>();
  for (const node of nodes) costFrom(node, costs);
}

type Frame = { node: SchemaNode; next: number; cost: number };

/** Without recursion: references may form a chain of thousands. */
function costFrom(start: SchemaNode, costs: Map<SchemaNode, number>): void {
  if (costs.has(start)) return;
  const open = new Set([start]);
  const frames: Frame[] = [{ node: start, next: 0, cost: 1 }];
  for (let frame = frames.at(-1); frame; frame = frames.at(-1)) {
    const child = frame.node.in_place[frame.next];
    const known = child && costs.get(child);
    if (child === undefined) {
      if (frame.cost > MAX_EXPANSION) throw tooMany(frame);
      costs.set(frame.node, frame.cost);
      open.delete(frame.node);
      frames.pop();
    } else if (known !== undefined) {
      frame.next++;
      frame.cost += known;
    } else if (open.has(child)) {
      throw new Error(`refers to itself without end at ${frame.node.at}`);
    } else {
      open.add(child);
      frames.push({ node: child, next: 0, cost: 1 });
    }
  }
}

function tooMany({ node: { at }, cost }: Frame): Error {
  const why = `applies ${cost} subschemas to one value at ${at}, counted through $ref, allOf and the like`;
  return new Error(`${why}: at most ${MAX_EXPANSION}; apply fewer there, or move them below properties`);
}
