import { ErrorState } from "../../parts/state/error-state.tsx";
import { SkeletonLines } from "../../parts/state/skeleton.tsx";
import { Trace } from "../../parts/trace/trace.tsx";
import type { useTrace } from "./use-trace.ts";

type Props = {
  trace: ReturnType<typeof useTrace>;
  selected: string | undefined;
  onSelect: (id: string) => void;
  className?: string;
};

/** The trace of a run or a workflow run, once it has loaded. */
export function TraceView({ trace: { shown, load, error, refetch }, selected, onSelect, className }: Props) {
  return (
    <>
      {error && <ErrorState error={error} as={shown ? "banner" : "block"} onRetry={refetch} />}
      {shown ? (
        <Trace
          items={shown.items}
          selected={selected}
          onSelect={onSelect}
          onLoad={({ id }) => {
            const span = shown.spanOf.get(id);
            if (span) load(span);
          }}
          {...(className && { className })}
        />
      ) : (
        !error && <SkeletonLines lines={4} />
      )}
    </>
  );
}
