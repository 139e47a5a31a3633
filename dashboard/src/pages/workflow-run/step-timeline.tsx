import { useMemo } from "react";
import { Waterfall, type WaterfallBar } from "../../parts/chart/waterfall.tsx";
import { plural } from "../../parts/format.ts";
import { EmptyState } from "../../parts/state/empty-state.tsx";
import { shownStatus } from "./run-graph.ts";
import { hasEnded, type WorkflowRunView } from "./use-workflow-run.ts";

type Props = {
  view: WorkflowRunView;
  refs: ReadonlySet<string>;
  selected: string | undefined;
  onSelect: (id: string) => void;
};

const IDLE: ReadonlySet<string> = new Set(["wait_for_event", "sleep", "approval"]);

/** Start and end of each step. Long waits are collapsed. */
export function StepTimeline({ view, refs, selected, onSelect }: Props) {
  const bars = useMemo(() => barsOf(view, refs), [view, refs]);
  if (bars.length === 0) {
    return (
      <EmptyState small title="No steps have started">
        Steps appear here when they start.
      </EmptyState>
    );
  }
  const notStarted = refs.size - bars.length;
  return (
    <div className="h-full overflow-y-auto px-3 py-3 sm:px-4 lg:px-6">
      <Waterfall bars={bars} selected={selected} onSelect={onSelect} />
      {notStarted > 0 && (
        <p className="mt-2 px-1 text-ink-3 text-xs">
          {hasEnded(view.run)
            ? `${plural(notStarted, "step")} never started.`
            : `${plural(notStarted, "step has", "steps have")} not started.`}
        </p>
      )}
    </div>
  );
}

function barsOf({ graph, run }: WorkflowRunView, refs: ReadonlySet<string>): WaterfallBar[] {
  const end = hasEnded(run) ? run.finished_at : null;
  return graph.nodes
    .flatMap((node) =>
      node.started_at === null || !refs.has(node.step_ref)
        ? []
        : [
            {
              id: node.step_ref,
              label: node.step_ref,
              status: shownStatus(node),
              start: node.started_at,
              end: node.finished_at ?? end,
              isIdle: IDLE.has(node.type),
              ...(node.compensated_at && { marks: [{ at: node.compensated_at, label: "Compensated" }] }),
            },
          ],
    )
    .sort((a, b) => Date.parse(a.start) - Date.parse(b.start));
}
