/** Indexes of values without neighbors, which a line cannot show. */
export function alone(values: (number | null)[]): number[] {
  const isGap = (nth: number) => values[nth] === null || values[nth] === undefined;
  return values.flatMap((_, nth) => (!isGap(nth) && isGap(nth - 1) && isGap(nth + 1) ? [nth] : []));
}
