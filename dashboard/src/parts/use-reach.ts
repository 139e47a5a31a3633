import { type RefObject, useCallback, useLayoutEffect, useRef } from "react";

/**
 * Brings a row into sight and gives it the focus, at once or as soon as it is drawn. All rows are of one height, so
 * nothing is measured: a key that is held down would have the page laid out anew for each row.
 */
export function useReach(scroller: HTMLElement, body: RefObject<HTMLElement | null>, height: number) {
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

/** The head stays over the rows: what is under it is not in sight. */
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
