import { useEffect, useState } from "react";
import { useLatest } from "../use-latest.ts";

type Range = { startIndex: number; endIndex: number } | null;

/** Overscan on both sides of the visible rows. */
const AT_ONCE = 4;
/** Prerendered rows below the visible ones: at least one page, but bounded. */
const [MIN_AHEAD, MAX_AHEAD] = [18, 32];
/** Small steps with pauses, so that a key press waits for at most one step. */
const [STEP, PAUSE_MS] = [4, 24];

/** The range of rendered rows. Rows ahead are prerendered while idle, so that Page Down finds them in the document. */
export function useRenderedRange(visible: Range, count: number): [first: number, last: number] {
  const { startIndex: first, endIndex: last } = visible ?? { startIndex: 0, endIndex: -1 - AT_ONCE };
  const [drawnTo, setDrawnTo] = useState(-1);
  const isRetained = drawnTo <= last + MAX_AHEAD;
  const end = Math.min(count - 1, Math.max(last + AT_ONCE, isRetained ? drawnTo : -1));
  const latestEnd = useLatest(end);
  const isShort = end < Math.min(count - 1, last + MIN_AHEAD);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each step schedules the next one
  useEffect(() => {
    if (!isShort) return;
    const timer = setTimeout(() => setDrawnTo(latestEnd.current + STEP), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [isShort, drawnTo, latestEnd]);
  return [Math.max(0, first - AT_ONCE), end];
}
