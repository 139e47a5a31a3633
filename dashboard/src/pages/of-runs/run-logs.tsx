import type { RunLog } from "@millrace/contract/run-records";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type RefObject, useLayoutEffect, useRef, useState } from "react";
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
  const { lines, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useRunLogs(runId, filter);
  const [isFollowing, setFollowing] = useState(true);
  const scroller = useRef<HTMLDivElement>(null);
  const count = lines?.length ?? 0;
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => HEIGHT,
    overscan: 20,
  });
  useKeptPlace(scroller, lines, isFollowing);
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
          <div className="relative min-w-max" style={{ height: virtual.getTotalSize() }}>
            {virtual.getVirtualItems().map(({ index, start, key }) => (
              <LogLine
                key={key}
                line={lines[index] as RunLog}
                top={start}
                height={HEIGHT}
                isCurrent={lines[index]?.id === line}
                onClick={() => onLine(lines[index]?.id === line ? undefined : lines[index]?.id)}
              />
            ))}
          </div>
        </div>
      )}
      {chosen && <WholeLine line={chosen} onClose={() => onLine(undefined)} />}
    </div>
  );
}

/** New lines at the end keep the end in sight; older ones that come above leave what is read where it is. */
function useKeptPlace(scroller: RefObject<HTMLDivElement | null>, lines: RunLog[] | undefined, isFollowing: boolean) {
  const before = useRef<{ first: string | undefined; count: number }>({ first: undefined, count: 0 });
  useLayoutEffect(() => {
    const node = scroller.current;
    if (!node || !lines) return;
    const { first, count } = before.current;
    const hasOlder = count > 0 && lines[0]?.id !== first && lines.some(({ id }) => id === first);
    before.current = { first: lines[0]?.id, count: lines.length };
    if (hasOlder) node.scrollTop += (lines.length - count) * HEIGHT;
    else if (isFollowing) node.scrollTop = node.scrollHeight;
  }, [scroller, lines, isFollowing]);
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
