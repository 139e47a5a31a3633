import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { useLive } from "../../live/use-live.ts";

const GATHER_MS = 600;
const MOST_TURNS = 2;
const TURN_EVERY_MS = 30_000;

/**
 * Reads figures anew when runs move, until the sums have caught up with them (`as_of`). A burst is followed at once;
 * under steady load there is a turn every 30 seconds, since every reader of the page would ask.
 */
export function useFollowed(
  isOn: boolean,
  paths: readonly string[],
  as_of: string | null | undefined,
  slide: () => void,
): void {
  const client = useQueryClient();
  const state = useRef({
    last: "",
    turns: MOST_TURNS,
    at: 0,
    timer: undefined as ReturnType<typeof setTimeout> | undefined,
  });
  const read = () => {
    const held = state.current;
    held.timer = undefined;
    held.turns -= 1;
    slide();
    void client.invalidateQueries({ predicate: ({ queryKey }) => paths.includes(String(queryKey[1])) });
  };
  const plan = () => {
    const held = state.current;
    if (held.timer !== undefined) return;
    const gained = Math.floor((Date.now() - held.at) / TURN_EVERY_MS);
    if (gained > 0) Object.assign(held, { turns: Math.min(MOST_TURNS, held.turns + gained), at: Date.now() });
    held.timer = setTimeout(read, held.turns > 0 ? GATHER_MS : TURN_EVERY_MS);
  };
  useLive(
    isOn ? ["runs"] : [],
    ({ type, at }) => {
      if (type !== "run.status") return;
      state.current.last = at;
      plan();
    },
    plan,
  );
  const isBehind = as_of !== undefined && as_of !== null && state.current.last > as_of;
  useEffect(() => {
    if (isBehind && state.current.turns > 0) plan();
  });
  useEffect(() => () => clearTimeout(state.current.timer), []);
}
