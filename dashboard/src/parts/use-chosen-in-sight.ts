import { useLayoutEffect, useRef } from "react";

/** For a row that scrolls sideways: whatever is chosen in it is brought to its middle. The page itself does not move. */
export function useChosenInSight<T extends HTMLElement>(chosen: string) {
  const row = useRef<T>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another choice is the reason to scroll
  useLayoutEffect(() => {
    const node = row.current;
    const found = node?.querySelector("[data-state=active], [aria-pressed=true]");
    if (!node || !found || node.scrollWidth <= node.clientWidth) return;
    const [outer, inner] = [node.getBoundingClientRect(), found.getBoundingClientRect()];
    node.scrollLeft += inner.left - outer.left - (outer.width - inner.width) / 2;
  }, [chosen]);
  return row;
}
