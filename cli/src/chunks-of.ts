/** The list in parts of at most so many. */
export function chunksOf<T>(list: readonly T[], most: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / most) }, (_, nth) => list.slice(nth * most, (nth + 1) * most));
}
