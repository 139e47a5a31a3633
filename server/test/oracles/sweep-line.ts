import { randomFrom, testSeed } from "../seed/seed.ts";

/** An interval: from, up to but not including `to`. */
type Span = { from: number; to: number };

/** The largest number of intervals that overlap at one instant. */
export function peak(spans: readonly Span[]): number {
  const edges = spans.flatMap(({ from, to }) => [
    { at: from, by: 1 },
    { at: to, by: -1 },
  ]);
  edges.sort((a, b) => a.at - b.at || a.by - b.by);
  let [now, max] = [0, 0];
  for (const { by } of edges) {
    now += by;
    max = Math.max(max, now);
  }
  return max;
}

/** The largest number of starts within any window of this length. */
export function maxWithin(starts: readonly number[], length: number): number {
  const sorted = starts.toSorted((a, b) => a - b);
  let [first, max] = [0, 0];
  for (const [index, start] of sorted.entries()) {
    while (start - (sorted[first] ?? 0) >= length) first++;
    max = Math.max(max, index - first + 1);
  }
  return max;
}

/** Jain's fairness index: 1 when all shares are equal, 1/n when one has everything. */
export function jainIndex(shares: readonly number[]): number {
  const sum = shares.reduce((total, share) => total + share, 0);
  const squares = shares.reduce((total, share) => total + share * share, 0);
  return squares === 0 ? 1 : (sum * sum) / (shares.length * squares);
}

/** Random numbers from 0 to 1, the same for the same TEST_SEED, which is printed. */
export function seededRandom(what: string): () => number {
  return randomFrom(testSeed(what));
}
