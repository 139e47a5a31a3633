export const GAP = 2;
/** Cells are cut to this width before a column is left out. */
const READABLE = 16;

type Measured = { natural: number; isMinor: boolean };

/**
 * The widths of the columns that are shown on a terminal with this room: long cells are cut, then minor columns left
 * out, then the last ones. The first stays whole, since other commands take it.
 */
export function fitColumns(columns: readonly Measured[], room: number): Map<number, number> {
  const widths = new Map(columns.map(({ natural }, nth) => [nth, natural]));
  const lacks = () => [...widths.values()].reduce((sum, width) => sum + width, GAP * (widths.size - 1)) - room;
  if (lacks() <= 0) return widths;
  const fromTheLast = columns
    .map((column, nth) => ({ ...column, nth }))
    .slice(1)
    .reverse();
  for (const { nth, natural } of fromTheLast) widths.set(nth, Math.min(natural, READABLE));
  for (const { nth } of fromTheLast.filter(({ isMinor }) => isMinor)) if (lacks() > 0) widths.delete(nth);
  for (const { nth } of fromTheLast) if (lacks() > 0) widths.delete(nth);
  for (const [nth, width] of widths)
    widths.set(nth, Math.min(columns[nth]?.natural ?? 0, width + Math.max(0, -lacks())));
  return widths;
}
