import type { RunLog } from "@millrace/contract/run-records";
import { type RefObject, useEffect, useLayoutEffect, useRef } from "react";

/** New lines at the end keep the end in sight; older ones that come above leave what is read where it is. */
export function useKeptPlace(
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

type Sought = {
  /** Where the line is among those that were read; -1: not yet. */
  place: number;
  line: string | undefined;
  isRead: boolean;
  hasMore: boolean;
  more: () => void;
  pages: number;
  show: (place: number) => void;
};

const MOST_PAGES = 100;

/** A link leads to its line, also to one that lies far above: older pages are read until it is there. Then it is shown, once. */
export function useSought({ place, line, isRead, hasMore, more, pages, show }: Sought): boolean {
  const isShown = useRef(line === undefined); // what is clicked later is in sight already
  const isSought = isRead && place === -1 && hasMore && pages < MOST_PAGES && !isShown.current;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each page that came is a reason to look again
  useEffect(() => {
    if (isSought) more();
  }, [isSought, pages]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: when it is found
  useEffect(() => {
    if (place === -1 || isShown.current) return;
    isShown.current = true;
    show(place);
  }, [place === -1]);
  return isSought;
}
