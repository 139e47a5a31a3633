import { middleOf } from "../rollups/sketch.ts";

/** Encoded sketches; their sum is the distribution. */
export type Durations = readonly Buffer[];

export const NO_DURATIONS: Durations = [];

/** Enough for the longest exact duration: no bin lies beyond it. */
const MAX_BINS = 8_192;
const sums = new Float64Array(MAX_BINS);
const middles = Float64Array.from({ length: MAX_BINS }, (_, bin) => middleOf(bin));

type Summed = { low: number; high: number; count: number };

/** Sums into the one shared array. The caller reads and clears it before the next sum. */
function sumUp(durations: Durations): Summed {
  const all = { low: MAX_BINS, high: -1, count: 0 };
  for (const bytes of durations) addBytes(all, bytes);
  return all;
}

/**
 * The same as `eachBin`, which takes three times as long: a month's chart has millions of bins, so there is no call or
 * allocation per bin.
 */
function addBytes(all: Summed, bytes: Buffer): void {
  let { low, high, count } = all;
  const end = bytes.length;
  for (let at = 0, bin = 0; at < end; ) {
    let step = bytes[at++] ?? 0;
    if (step >= 128) {
      step -= 128;
      for (let unit = 128, byte = 128; byte >= 128; unit *= 128) {
        byte = bytes[at++] ?? 0;
        step += (byte & 127) * unit;
      }
    }
    let some = bytes[at++] ?? 0;
    if (some >= 128) {
      some -= 128;
      for (let unit = 128, byte = 128; byte >= 128; unit *= 128) {
        byte = bytes[at++] ?? 0;
        some += (byte & 127) * unit;
      }
    }
    bin = step === 0 && some === 0 ? 0 : bin + step;
    if (some === 0) continue;
    sums[bin] = (sums[bin] ?? 0) + some;
    count += some;
    if (bin < low) low = bin;
    if (bin > high) high = bin;
  }
  all.low = low;
  all.high = high;
  all.count = count;
}

/** The count, and the values at these ascending shares by nearest rank; null without values. */
export function quantiles(
  durations: Durations,
  shares: readonly number[],
): { count: number; values: (number | null)[] } {
  const [only] = durations;
  const pairs = durations.length === 1 && only ? listPairs(only) : -1;
  if (pairs >= 0) return quantilesOfListed(pairs, shares);
  const { low, high, count } = sumUp(durations);
  if (count === 0) return { count, values: shares.map(() => null) };
  let [seen, bin] = [0, low - 1];
  const values = shares.map((share) => {
    const rank = Math.max(1, Math.ceil(share * count - 1e-9));
    while (seen < rank && bin < high) seen += sums[++bin] ?? 0;
    return middles[bin] ?? 0;
  });
  sums.fill(0, low, high + 1);
  return { count, values };
}

const bins = new Int32Array(MAX_BINS);
const seenUpTo = new Float64Array(MAX_BINS);

/**
 * Lists the bins of one sketch with cumulative counts: half the work of summing up, and most buckets have one sketch.
 * Returns the number of bins, or −1 if other sketches were appended, so that bins do not ascend.
 */
function listPairs(bytes: Buffer): number {
  let [pairs, bin, seen] = [0, 0, 0];
  for (let at = 0; at < bytes.length; pairs++) {
    let step = bytes[at++] ?? 0;
    for (let unit = 128, byte = step; byte >= 128; unit *= 128) {
      byte = bytes[at++] ?? 0;
      step += (byte - 1) * unit;
    }
    let some = bytes[at++] ?? 0;
    for (let unit = 128, byte = some; byte >= 128; unit *= 128) {
      byte = bytes[at++] ?? 0;
      some += (byte - 1) * unit;
    }
    if (step === 0 && some === 0) return -1;
    bin += step;
    seen += some;
    bins[pairs] = bin;
    seenUpTo[pairs] = seen;
  }
  return pairs;
}

function quantilesOfListed(pairs: number, shares: readonly number[]): { count: number; values: (number | null)[] } {
  const count = pairs === 0 ? 0 : (seenUpTo[pairs - 1] ?? 0);
  if (count === 0) return { count, values: shares.map(() => null) };
  let at = 0;
  const values = shares.map((share) => {
    const rank = Math.max(1, Math.ceil(share * count - 1e-9));
    while (at < pairs - 1 && (seenUpTo[at] ?? 0) < rank) at++;
    return middles[bins[at] ?? 0] ?? 0;
  });
  return { count, values };
}

/** The non-empty bins, ascending. */
export function binsOf(durations: Durations): { bin: number; count: number }[] {
  const { low, high } = sumUp(durations);
  const bins: { bin: number; count: number }[] = [];
  for (let bin = low; bin <= high; bin++) {
    const count = sums[bin] ?? 0;
    if (count > 0) bins.push({ bin, count });
  }
  if (high >= low) sums.fill(0, low, high + 1);
  return bins;
}
