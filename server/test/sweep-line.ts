import { randomFrom, testSeed } from "./seed.ts";

/** Something that lasted: from, up to but not including `to`. */
type Span = { from: number; to: number };

/** How many lasted at the same instant, at most. */
export function peak(spans: readonly Span[]): number {
  const edges = spans.flatMap(({ from, to }) => [
    { at: from, by: 1 },
    { at: to, by: -1 },
  ]);
  edges.sort((a, b) => a.at - b.at || a.by - b.by);
  let [now, most] = [0, 0];
  for (const { by } of edges) {
    now += by;
    most = Math.max(most, now);
  }
  return most;
}

/** How many began within any stretch of this length, at most. */
export function mostWithin(starts: readonly number[], length: number): number {
  const sorted = starts.toSorted((a, b) => a - b);
  let [first, most] = [0, 0];
  for (const [index, start] of sorted.entries()) {
    while (start - (sorted[first] ?? 0) >= length) first++;
    most = Math.max(most, index - first + 1);
  }
  return most;
}

/** How evenly something is shared out: 1 when all have the same, 1/n when one has it all. */
export function jainIndex(shares: readonly number[]): number {
  const sum = shares.reduce((total, share) => total + share, 0);
  const squares = shares.reduce((total, share) => total + share * share, 0);
  return squares === 0 ? 1 : (sum * sum) / (shares.length * squares);
}

/** Random numbers from 0 to 1, the same ones for the same TEST_SEED, which is printed. */
export function seededRandom(what: string): () => number {
  return randomFrom(testSeed(what));
}
