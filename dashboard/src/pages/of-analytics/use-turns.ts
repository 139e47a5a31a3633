import { useCallback, useEffect, useMemo, useRef } from "react";

const GATHER_MS = 600;
const MOST_TURNS = 2;
const TURN_EVERY_MS = 40_000;

type Held = { turns: number; at: number; timer: ReturnType<typeof setTimeout> | undefined };

/**
 * Throttles refetches: immediately after a burst, and every 40 seconds under steady change, because every open page
 * refetches.
 */
export function useTurns(read: () => void) {
  const latest = useRef(read);
  latest.current = read;
  const held = useRef<Held>({ turns: MOST_TURNS, at: 0, timer: undefined });
  useEffect(() => () => clearTimeout(held.current.timer), []);
  const plan = useCallback(() => {
    const now = held.current;
    if (now.timer !== undefined) return;
    const gained = Math.floor((Date.now() - now.at) / TURN_EVERY_MS);
    if (gained > 0) Object.assign(now, { turns: Math.min(MOST_TURNS, now.turns + gained), at: Date.now() });
    now.timer = setTimeout(
      () => {
        now.timer = undefined;
        now.turns -= 1;
        latest.current();
      },
      now.turns > 0 ? GATHER_MS : TURN_EVERY_MS,
    );
  }, []);
  const isFree = useCallback(() => held.current.turns > 0, []);
  return useMemo(() => ({ plan, isFree }), [plan, isFree]);
}
