import { eachBin, middleOf } from "./sketch.ts";

/**
 * The sum of many encoded sketches, in order, for reading: bins and how many are in each. A month in hours is some hundred
 * thousand bins; summed up in an array they take milliseconds, in a map a hundred times that.
 */
export type Distribution = { bins: Uint16Array; counts: Float64Array; count: number };

/** Of the longest duration that is kept exactly: a bin beyond it belongs to none. */
const MOST_BINS = 8_192;
const sums = new Float64Array(MOST_BINS);

export function distributionOf(sketches: readonly Buffer[] | null): Distribution {
  let [low, high] = [MOST_BINS, -1];
  const add = (bin: number, count: number) => {
    sums[bin] = (sums[bin] ?? 0) + count;
    if (bin < low) low = bin;
    if (bin > high) high = bin;
  };
  for (const bytes of sketches ?? []) eachBin(bytes, add);
  return taken(low, high);
}

/** What was summed up, and the array empty again for the next. */
function taken(low: number, high: number): Distribution {
  let [used, count] = [0, 0];
  for (let bin = low; bin <= high; bin++) if ((sums[bin] ?? 0) > 0) used += 1;
  const [bins, counts] = [new Uint16Array(used), new Float64Array(used)];
  for (let [bin, nth] = [low, 0]; bin <= high; bin++) {
    const sum = sums[bin] ?? 0;
    if (sum <= 0) continue;
    bins[nth] = bin;
    counts[nth++] = sum;
    count += sum;
    sums[bin] = 0;
  }
  return { bins, counts, count };
}

/** The values at these shares of all, in rising order, by nearest rank; null where there are none. */
export function quantiles({ bins, counts, count }: Distribution, shares: readonly number[]): (number | null)[] {
  let [seen, at] = [0, -1];
  return shares.map((share) => {
    const rank = Math.max(1, Math.ceil(share * count - 1e-9));
    while (seen < rank && at < bins.length - 1) seen += counts[++at] ?? 0;
    const bin = bins[at];
    return bin === undefined ? null : middleOf(bin);
  });
}

export const NO_DISTRIBUTION: Distribution = distributionOf(null);
