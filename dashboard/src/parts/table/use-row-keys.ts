import { type KeyboardEvent, useCallback, useState } from "react";

type Moves = {
  keys: string[];
  onOpen: (key: string) => void;
  onPeek: (key: string) => void;
  onSelect: (key: string) => void;
  reach: (place: number) => void;
};

const STEPS: Record<string, (at: number, last: number) => number> = {
  ArrowDown: (at, last) => Math.min(last, at + 1),
  j: (at, last) => Math.min(last, at + 1),
  ArrowUp: (at) => Math.max(0, at - 1),
  k: (at) => Math.max(0, at - 1),
  Home: () => 0,
  End: (_, last) => last,
  PageDown: (at, last) => Math.min(last, at + 15),
  PageUp: (at) => Math.max(0, at - 15),
};

/** The focused row by key, not by index, so that new rows above do not move it. */
export function useRowKeys({ keys, onOpen, onPeek, onSelect, reach }: Moves) {
  const [active, setActive] = useState<string>();
  const place = active === undefined ? -1 : keys.indexOf(active);
  const move = useCallback(
    (step: string) => {
      const next = STEPS[step]?.(place, keys.length - 1) ?? -1;
      const key = keys[Math.max(0, next)];
      if (key === undefined) return;
      setActive(key);
      reach(Math.max(0, next));
    },
    [place, keys, reach],
  );
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const isOnRow = (event.target as HTMLElement).getAttribute("role") === "row";
    if (STEPS[event.key] && isOnRow) move(event.key);
    else if (active !== undefined && isOnRow && event.key === "Enter") onOpen(active);
    else if (active !== undefined && isOnRow && event.key === " ") onPeek(active);
    else if (active !== undefined && isOnRow && event.key === "x") onSelect(active);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return { active: place >= 0 ? active : keys[0], setActive, move, onKeyDown };
}
