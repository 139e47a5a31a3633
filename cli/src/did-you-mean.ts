import { editDistance } from "@millrace/contract/query-language/edit-distance";

/** Up to three known words close to a mistyped one, closest first. */
export function didYouMean(typed: string, known: readonly string[]): string[] {
  const max = Math.max(1, Math.floor(typed.length / 3));
  return known
    .map((word) => ({ word, distance: isBeginning(typed, word) ? 0.5 : editDistance(typed, word) }))
    .filter((each) => each.distance <= max)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, 3)
    .map(({ word }) => word);
}

function isBeginning(typed: string, word: string): boolean {
  return typed.length >= 3 && word.startsWith(typed);
}
