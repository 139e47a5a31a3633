/** Good and bad ends of a version's runs. */
export type Tally = { good: number; bad: number };

/** Jeffreys' prior: half a run of either kind. */
const PRIOR = 0.5;
const CELLS = 96;
/** Beyond this many standard deviations from the mean of a rate's distribution, nothing is left of it. */
const REACH = 7;

/**
 * The posterior probability that the target's bad rate exceeds the source's by more than `allowed`. Both rates have
 * Beta distributions; the target's is summed over the part of the source's that lies below it.
 */
export function probabilityWorse(source: Tally, target: Tally, allowed = 0): number {
  const [ofSource, ofTarget] = [distributionOf(source), distributionOf(target)];
  let probability = 0;
  let below = 0; // of the source's weight, in the cells that end before
  let cell = 0;
  for (let index = 0; index < CELLS; index++) {
    const limit = (ofTarget.middles[index] as number) - allowed;
    while (cell < CELLS && (ofSource.ends[cell] as number) <= limit) below += ofSource.weights[cell++] as number;
    probability += (ofTarget.weights[index] as number) * (below + partOf(ofSource, cell, limit));
  }
  return Math.min(1, probability);
}

type Distribution = { middles: Float64Array; ends: Float64Array; weights: Float64Array; from: number };

/**
 * A Beta distribution as a histogram. Its cells have equal width in asin(sqrt(rate)), where the density has no poles
 * and much the same spread for every rate.
 */
function distributionOf({ good, bad }: Tally): Distribution {
  const [a, b] = [bad + PRIOR, good + PRIOR];
  const middle = Math.asin(Math.sqrt(a / (a + b)));
  const deviation = 0.5 / Math.sqrt(a + b);
  const low = Math.max(0, middle - REACH * deviation);
  const width = (Math.min(Math.PI / 2, middle + REACH * deviation) - low) / CELLS;
  const logDensity = (angle: number) =>
    (2 * a - 1) * Math.log(Math.sin(angle)) + (2 * b - 1) * Math.log(Math.cos(angle));
  const peak = logDensity(Math.min(Math.max(middle, low + width / 2), Math.PI / 2 - width / 2));
  const middles = new Float64Array(CELLS);
  const ends = new Float64Array(CELLS);
  const weights = new Float64Array(CELLS);
  let sum = 0;
  for (let index = 0; index < CELLS; index++) {
    const angle = low + (index + 0.5) * width;
    middles[index] = Math.sin(angle) ** 2;
    ends[index] = Math.sin(angle + width / 2) ** 2;
    weights[index] = Math.exp(logDensity(angle) - peak);
    sum += weights[index] as number;
  }
  return { middles, ends, weights: weights.map((weight) => weight / sum), from: Math.sin(low) ** 2 };
}

/** The part of a cell's weight that lies below the limit. */
function partOf({ ends, weights, from }: Distribution, cell: number, limit: number): number {
  if (cell === CELLS) return 0;
  const start = cell === 0 ? from : (ends[cell - 1] as number);
  if (limit <= start) return 0;
  return ((limit - start) / ((ends[cell] as number) - start)) * (weights[cell] as number);
}
