import type { RunLog } from "@millrace/contract/runs/run-records";
import { type RefObject, useEffect, useLayoutEffect, useRef } from "react";

/** Appended lines keep the end in view; older lines loaded above keep the scroll position. */
export function useScrollAnchor(
  scroller: RefObject<HTMLDivElement | null>,
  lines: RunLog[] | undefined,
  isFollowing: boolean,
) {
  const before = useRef<{ first: string | undefined; height: number }>({ first: undefined, height: 0 });
  useLayoutEffect(() => {
    const node = scroller.current;
    if (!node || !lines) return;
    const { first, height } = before.current;
    const hasOlder = height > 0 && lines[0]?.id !== first && lines.some(({ id }) => id === first);
    before.current = { first: lines[0]?.id, height: node.scrollHeight };
    if (hasOlder) node.scrollTop += node.scrollHeight - height;
    else if (isFollowing) node.scrollTop = node.scrollHeight;
  }, [scroller, lines, isFollowing]);
}

type LinkedLine = {
  /** Index of the line among the loaded ones; -1: not loaded yet. */
  place: number;
  line: string | undefined;
  isRead: boolean;
  hasMore: boolean;
  more: () => void;
  pages: number;
  show: (place: number) => void;
};

const MAX_PAGES = 100;

/** Scrolls once to the linked line, loading older pages until it is found. */
export function useLinkedLine({ place, line, isRead, hasMore, more, pages, show }: LinkedLine): boolean {
  const isShown = useRef(line === undefined); // lines clicked later are already visible
  const isSeeking = isRead && place === -1 && hasMore && pages < MAX_PAGES && !isShown.current;
  // biome-ignore lint/correctness/useExhaustiveDependencies: search again after every page
  useEffect(() => {
    if (isSeeking) more();
  }, [isSeeking, pages]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the line is found
  useEffect(() => {
    if (place === -1 || isShown.current) return;
    isShown.current = true;
    show(place);
  }, [place === -1]);
  return isSeeking;
}
