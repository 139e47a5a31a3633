import type { RunLog } from "@millrace/contract/run-records";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import { CodeBlock } from "../../parts/code-block.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { SkeletonLines } from "../../parts/skeleton.tsx";
import { LogBar } from "./log-bar.tsx";
import { LogLine, WholeLine } from "./log-line.tsx";
import { type LogFilter, useRunLogs } from "./use-run-logs.ts";

type Props = {
  runId: string;
  filter: LogFilter;
  onFilter: (filter: LogFilter) => void;
  /** Id of the line that is looked at whole. */
  line?: string | undefined;
  onLine: (id: string | undefined) => void;
  className?: string;
};

const HEIGHT = 22;
const NEAR_PX = 40;

/** What a run has logged. The newest line stays in sight until somebody scrolls up. */
export function RunLogs({ runId, filter, onFilter, line, onLine, className = "h-[min(560px,62vh)]" }: Props) {
  const { lines, data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useRunLogs(runId, filter);
  const [isFollowing, setFollowing] = useState(true);
  const scroller = useRef<HTMLDivElement>(null);
  const count = lines?.length ?? 0;
  const [isWrapped, setWrapped] = useState(false);
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => HEIGHT,
    overscan: 20,
  });
  useKeptPlace(scroller, lines, isFollowing);
  // biome-ignore lint/correctness/useExhaustiveDependencies: heights of the other look are not kept
  useEffect(() => virtual.measure(), [isWrapped]);
  const isSought = useSought({
    place: line === undefined ? -1 : (lines?.findIndex(({ id }) => id === line) ?? -1),
    line,
    isRead: lines !== undefined,
    hasMore: hasNextPage,
    more: () => !isFetchingNextPage && void fetchNextPage(),
    pages: data?.pages.length ?? 0,
    show: (place) => {
      setFollowing(false);
      virtual.scrollToIndex(place, { align: "center" });
    },
  });
  const onScroll = () => {
    const node = scroller.current;
    if (!node) return;
    setFollowing(node.scrollHeight - node.scrollTop - node.clientHeight < NEAR_PX);
    if (node.scrollTop < NEAR_PX * 5 && hasNextPage && !isFetchingNextPage) void fetchNextPage();
  };
  const chosen = lines?.find(({ id }) => id === line);
  return (
    <div className="flex flex-col gap-2">
      <LogBar
        filter={filter}
        onFilter={onFilter}
        lines={lines}
        hasMore={hasNextPage}
        isFollowing={isFollowing}
        isWrapped={isWrapped}
        onWrap={() => setWrapped(!isWrapped)}
        onFollow={() => {
          setFollowing(true);
          virtual.scrollToIndex(count - 1, { align: "end" });
        }}
      />
      {error && <ErrorState error={error} as={lines ? "banner" : "block"} onRetry={() => void refetch()} />}
      {!lines && !error && <SkeletonLines lines={8} />}
      {lines?.length === 0 && <NoLines isFiltered={filter.q !== "" || filter.min !== "debug"} />}
      {lines && lines.length > 0 && (
        <div
          ref={scroller}
          onScroll={onScroll}
          role="log"
          aria-label="Log lines"
          tabIndex={0}
          className={`overflow-auto rounded-sm border bg-surface font-mono text-xs -outline-offset-2 [overflow-anchor:none] ${className}`}
        >
          <div className={isWrapped ? "relative" : "relative min-w-max"} style={{ height: virtual.getTotalSize() }}>
            {virtual.getVirtualItems().map(({ index, start, key }) => (
              <LogLine
                key={key}
                line={lines[index] as RunLog}
                top={start}
                {...(isWrapped ? { index, measure: virtual.measureElement } : { height: HEIGHT })}
                isCurrent={lines[index]?.id === line}
                onClick={() => onLine(lines[index]?.id === line ? undefined : lines[index]?.id)}
              />
            ))}
          </div>
        </div>
      )}
      {isSought && (
        <p role="status" className="text-ink-2 text-xs">
          Looking for the line of the link further up…
        </p>
      )}
      {chosen && <WholeLine line={chosen} onClose={() => onLine(undefined)} />}
    </div>
  );
}

/** New lines at the end keep the end in sight; older ones that come above leave what is read where it is. */
function useKeptPlace(scroller: RefObject<HTMLDivElement | null>, lines: RunLog[] | undefined, isFollowing: boolean) {
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
function useSought({ place, line, isRead, hasMore, more, pages, show }: Sought): boolean {
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

function NoLines({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) {
    return (
      <EmptyState small title="No line fits">
        Choose a lower level, or search for less.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      small
      title="Nothing logged"
      code={<CodeBlock code={'ctx.log.info("Sent", { to: "ada@example.com" });'} />}
    >
      Lines appear here while the job writes them.
    </EmptyState>
  );
}
