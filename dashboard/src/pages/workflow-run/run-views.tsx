import { Dag } from "../../parts/dag/dag.tsx";
import { EmptyState } from "../../parts/state/empty-state.tsx";
import { NARROW, useMedia } from "../../parts/use-media.ts";
import { useSearchParams } from "../../shell/place/place.ts";
import type { Grouped } from "./group-steps.ts";
import { StepTree } from "./step-tree.tsx";
import type { WorkflowRunView } from "./use-workflow-run.ts";

export const VIEWS = ["graph", "timeline", "list"] as const;
export type View = (typeof VIEWS)[number];

type Props = {
  view: WorkflowRunView;
  graph: Grouped;
  selected: string | undefined;
  onSelect: (id: string | undefined) => void;
};

/** The view selected in the URL. Phones default to the list, because a graph needs room. */
export function useView(): View {
  const [{ view }] = useSearchParams();
  const isNarrow = useMedia(NARROW);
  return VIEWS.find((id) => id === view) ?? (isNarrow ? "list" : "graph");
}

export function RunViews({ view, graph, selected, onSelect }: Props) {
  const [{ follow }] = useSearchParams();
  const shown = useView();
  if (graph.nodes.length === 0) {
    return (
      <EmptyState small title="All steps are completed">
        Completed steps are hidden. Show them to see the whole run.
      </EmptyState>
    );
  }
  const refs = new Set(graph.nodes.flatMap(({ id }) => graph.members.get(id) ?? [id]));
  if (shown === "list") return <StepTree view={view} refs={refs} selected={selected} onSelect={onSelect} />;
  return (
    <Dag
      fill
      label="Steps"
      nodes={graph.nodes}
      edges={graph.edges}
      selected={selected === undefined ? undefined : graph.groupOf(selected)}
      onSelect={onSelect}
      follow={follow === "on"}
    />
  );
}
