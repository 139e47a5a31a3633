import { useLayoutEffect, useRef } from "react";

/** Scrolls the selected item of a horizontal list into view, without moving the page. */
export function useScrollSelectedIntoView<T extends HTMLElement>(chosen: string) {
  const row = useRef<T>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: scroll when the selection changes
  useLayoutEffect(() => {
    const node = row.current;
    const found = node?.querySelector("[data-state=active], [aria-pressed=true]");
    if (!node || !found || node.scrollWidth <= node.clientWidth) return;
    const [outer, inner] = [node.getBoundingClientRect(), found.getBoundingClientRect()];
    node.scrollLeft += inner.left - outer.left - (outer.width - inner.width) / 2;
  }, [chosen]);
  return row;
}
