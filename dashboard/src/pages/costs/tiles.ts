type Tile = { index: number; left: number; top: number; width: number; height: number };

/** Treemap in percent of a box: splits the rest along its longer side, largest value first. */
export function tilesOf(values: number[], wide = 3): Tile[] {
  const items = values.map((value, index) => ({ value, index })).filter(({ value }) => value > 0);
  const tiles: Tile[] = [];
  split(items, { left: 0, top: 0, width: 100, height: 100 }, wide, tiles);
  return tiles;
}

type Item = { value: number; index: number };
type Box = Omit<Tile, "index">;

/** `wide` is the aspect ratio of the box on screen. */
function split(items: Item[], box: Box, wide: number, tiles: Tile[]): void {
  const [first] = items;
  if (!first) return;
  if (items.length === 1) return void tiles.push({ index: first.index, ...box });
  const sum = total(items);
  let cut = 1;
  while (cut < items.length - 1 && total(items.slice(0, cut)) < sum / 2) cut++;
  const part = total(items.slice(0, cut)) / sum;
  const isAcross = box.width * wide >= box.height;
  const [width, height] = isAcross ? [box.width * part, box.height] : [box.width, box.height * part];
  split(items.slice(0, cut), { ...box, width, height }, wide, tiles);
  const rest = isAcross
    ? { ...box, left: box.left + width, width: box.width - width }
    : { ...box, top: box.top + height, height: box.height - height };
  split(items.slice(cut), rest, wide, tiles);
}

function total(items: Item[]): number {
  return items.reduce((sum, { value }) => sum + value, 0);
}
