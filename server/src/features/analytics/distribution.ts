import { middleOf } from "./sketch.ts";

/** Encoded sketches that are one when they are summed up. */
export type Durations = readonly Buffer[];

export const NO_DURATIONS: Durations = [];

/** Of the longest duration that is kept exactly: a bin beyond it belongs to none. */
const MOST_BINS = 8_192;
const sums = new Float64Array(MOST_BINS);
const middles = Float64Array.from({ length: MOST_BINS }, (_, bin) => middleOf(bin));

type Summed = { low: number; high: number; count: number };

/** Into the one array there is: what is read of it has to be read before the next are summed up, and leaves it empty. */
function sumUp(durations: Durations): Summed {
  const all = { low: MOST_BINS, high: -1, count: 0 };
  for (const bytes of durations) addBytes(all, bytes);
  return all;
}

/**
 * As `eachBin`, which takes three times as long: a picture of a month has millions of bins, so nothing is called or made
 * for one of them.
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

/** How many there are, and the values at these shares of all, in rising order, by nearest rank; null where there are none. */
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

const bins = new Int32Array(MOST_BINS);
const seenUpTo = new Float64Array(MOST_BINS);

/**
 * The bins of one sketch, and how many are in each and those before: half the work of summing up, and most buckets have
 * one. How many bins it has; −1 when others were appended to it, so that they do not rise.
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

/** Each bin that something is in, in rising order. */
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
