/** Where a value has none beside it: a line cannot show it. */
export function alone(values: (number | null)[]): number[] {
  const isGap = (nth: number) => values[nth] === null || values[nth] === undefined;
  return values.flatMap((_, nth) => (!isGap(nth) && isGap(nth - 1) && isGap(nth + 1) ? [nth] : []));
}
