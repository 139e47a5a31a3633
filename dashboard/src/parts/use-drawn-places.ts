import { useEffect, useState } from "react";
import { useLatest } from "./use-latest.ts";

type Range = { startIndex: number; endIndex: number } | null;

/** Drawn together with the rows in sight, on both sides of them. */
const AT_ONCE = 4;
/** Rows below those in sight: at least one page of keys, and no more than are worth keeping when somebody goes up. */
const [LEAST_AHEAD, MOST_AHEAD] = [18, 32];
/** So few at a time, so far apart, that a key pressed meanwhile waits for no more than one of these steps. */
const [STEP, PAUSE_MS] = [4, 24];

/**
 * Which rows are in the document, from the first place to the last. Those ahead are drawn bit by bit while nothing else is
 * to be done: a key that goes a page down finds its rows drawn, where it would have had to wait for fifteen of them.
 */
export function useDrawnPlaces(inSight: Range, count: number): [first: number, last: number] {
  const { startIndex: first, endIndex: last } = inSight ?? { startIndex: 0, endIndex: -1 - AT_ONCE };
  const [drawnTo, setDrawnTo] = useState(-1);
  const isKept = drawnTo <= last + MOST_AHEAD;
  const end = Math.min(count - 1, Math.max(last + AT_ONCE, isKept ? drawnTo : -1));
  const latestEnd = useLatest(end);
  const isShort = end < Math.min(count - 1, last + LEAST_AHEAD);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each step asks for the next one
  useEffect(() => {
    if (!isShort) return;
    const timer = setTimeout(() => setDrawnTo(latestEnd.current + STEP), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [isShort, drawnTo, latestEnd]);
  return [Math.max(0, first - AT_ONCE), end];
}
