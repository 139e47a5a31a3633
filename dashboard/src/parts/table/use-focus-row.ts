import { type RefObject, useCallback, useLayoutEffect, useRef } from "react";

/**
 * Scrolls to a row and focuses it once it is rendered. Rows have a fixed height, so nothing is measured: a held key
 * would otherwise force a layout per row.
 */
export function useFocusRow(scroller: HTMLElement, body: RefObject<HTMLElement | null>, height: number) {
  const wanted = useRef<number>(undefined);
  useLayoutEffect(() => {
    if (wanted.current !== undefined && focusRow(scroller, wanted.current)) wanted.current = undefined;
  });
  return useCallback(
    (place: number) => {
      bringIntoSight(scroller, body.current?.offsetTop ?? 0, place * height, height);
      wanted.current = focusRow(scroller, place) ? undefined : place;
    },
    [scroller, body, height],
  );
}

/** The sticky header covers rows below it. */
function bringIntoSight(scroller: HTMLElement, head: number, top: number, height: number): void {
  const { scrollTop, clientHeight } = scroller;
  const least = head + top + height - clientHeight;
  if (top < scrollTop) scroller.scrollTop = top;
  else if (least > scrollTop) scroller.scrollTop = least;
}

function focusRow(scroller: HTMLElement, place: number): boolean {
  const row = scroller.querySelector<HTMLElement>(`[data-place="${place}"]`);
  row?.focus({ preventScroll: true });
  return row !== null;
}
