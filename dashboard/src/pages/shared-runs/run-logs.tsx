import type { RunLog } from "@millrace/contract/runs/run-records";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef, useState } from "react";
import { CodeBlock } from "../../parts/code/code-block.tsx";
import { EmptyState } from "../../parts/state/empty-state.tsx";
import { ErrorState } from "../../parts/state/error-state.tsx";
import { SkeletonLines } from "../../parts/state/skeleton.tsx";
import { LogBar } from "./log-bar.tsx";
import { LogLine, WholeLine } from "./log-line.tsx";
import { useLinkedLine, useScrollAnchor } from "./log-scroll.ts";
import { type LogFilter, useRunLogs } from "./use-run-logs.ts";

type Props = {
  runId: string;
  filter: LogFilter;
  onFilter: (filter: LogFilter) => void;
  /** Id of the line shown in full. */
  line?: string | undefined;
  onLine: (id: string | undefined) => void;
  className?: string;
};

const HEIGHT = 22;
const NEAR_PX = 40;

/** Logs of a run. Follows the newest line until the user scrolls up. */
export function RunLogs({ runId, filter, onFilter, line, onLine, className = "h-[min(560px,62vh)]" }: Props) {
  const read = useRunLogs(runId, filter);
  const { lines, error, refetch, hasNextPage } = read;
  const [isWrapped, setWrapped] = useState(false);
  const view = useLogView(read, line, isWrapped);
  const chosen = lines?.find(({ id }) => id === line);
  return (
    <div className="flex flex-col gap-2">
      <LogBar
        filter={filter}
        onFilter={onFilter}
        lines={lines}
        hasMore={hasNextPage}
        isFollowing={view.isFollowing}
        isWrapped={isWrapped}
        onWrap={() => setWrapped(!isWrapped)}
        onFollow={view.follow}
      />
      {error && <ErrorState error={error} as={lines ? "banner" : "block"} onRetry={() => void refetch()} />}
      {!lines && !error && <SkeletonLines lines={8} />}
      {lines?.length === 0 && <NoLines isFiltered={filter.q !== "" || filter.min !== "debug"} />}
      {lines && lines.length > 0 && (
        <Lines view={view} lines={lines} line={line} onLine={onLine} isWrapped={isWrapped} className={className} />
      )}
      {view.isSeeking && (
        <p role="status" className="text-ink-2 text-xs">
          Loading the linked line…
        </p>
      )}
      {chosen && <WholeLine line={chosen} onClose={() => onLine(undefined)} />}
    </div>
  );
}

type LogView = ReturnType<typeof useLogView>;
type LinesProps = Pick<Props, "line" | "onLine"> & {
  view: LogView;
  lines: RunLog[];
  isWrapped: boolean;
  className: string;
};

/** Renders only the visible lines. */
function Lines({ view: { scroller, virtual, onScroll }, lines, line, onLine, isWrapped, className }: LinesProps) {
  return (
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
  );
}

/** The scroll mode: following the end, reading above, or loading the linked line. */
function useLogView(read: ReturnType<typeof useRunLogs>, line: string | undefined, isWrapped: boolean) {
  const { lines, data, hasNextPage, isFetchingNextPage, fetchNextPage } = read;
  const [isFollowing, setFollowing] = useState(true);
  const scroller = useRef<HTMLDivElement>(null);
  const count = lines?.length ?? 0;
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => HEIGHT,
    overscan: 20,
  });
  useScrollAnchor(scroller, lines, isFollowing);
  // biome-ignore lint/correctness/useExhaustiveDependencies: measured heights are stale after wrapping changes
  useEffect(() => virtual.measure(), [isWrapped]);
  const more = () => !isFetchingNextPage && void fetchNextPage();
  const isSeeking = useLinkedLine({
    place: line === undefined ? -1 : (lines?.findIndex(({ id }) => id === line) ?? -1),
    line,
    isRead: lines !== undefined,
    hasMore: hasNextPage,
    more,
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
    if (node.scrollTop < NEAR_PX * 5 && hasNextPage) more();
  };
  const follow = () => {
    setFollowing(true);
    virtual.scrollToIndex(count - 1, { align: "end" });
  };
  return { scroller, virtual, isFollowing, isSeeking, onScroll, follow };
}

function NoLines({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) {
    return (
      <EmptyState small title="No matching lines">
        Select a lower level or change the search.
      </EmptyState>
    );
  }
  return (
    <EmptyState small title="No logs" code={<CodeBlock code={'ctx.log.info("Sent", { to: "ada@example.com" });'} />}>
      Log lines appear here as the job writes them.
    </EmptyState>
  );
}
