import { cx } from "../../parts/class-names.ts";
import { Countdown } from "../../parts/state/countdown.tsx";
import { StatusMark } from "../../parts/state/status-mark.tsx";
import { Duration } from "../../parts/time.tsx";
import { kindOf } from "../shared-workflows/step-kinds.ts";
import { shownStatus, untilOf } from "./run-graph.ts";
import type { GraphNode, WorkflowRunView } from "./use-workflow-run.ts";

type Props = {
  node: GraphNode;
  view: WorkflowRunView;
  /** Position in its stage, and the size of the stage. */
  place: [number, number];
  isSelected: boolean;
  isCurrent: boolean;
  onSelect: () => void;
};

/** One step per line: status, type, dependencies and duration. */
export function StepItem({ node, view: { graph, waits }, place, isSelected, isCurrent, onSelect }: Props) {
  const { label, Icon } = kindOf(node.type);
  const after = graph.edges.filter(({ to }) => to === node.step_ref).map(({ from }) => from);
  const until = untilOf(node, waits.get(node.step_ref));
  const isCritical = graph.critical_path.step_refs.includes(node.step_ref);
  return (
    <div
      role="treeitem"
      aria-level={2}
      aria-posinset={place[0]}
      aria-setsize={place[1]}
      aria-selected={isSelected}
      tabIndex={isCurrent ? 0 : -1}
      data-item={node.step_ref}
      onClick={onSelect}
      onKeyDown={(event) => event.key === " " && onSelect()}
      className={cx(
        "flex min-h-9 cursor-pointer flex-wrap items-center gap-x-3 gap-y-0.5 rounded-sm py-1 pr-2 pl-7 -outline-offset-2 hover:bg-hover",
        isSelected && "bg-selected",
      )}
    >
      <span className="w-28 flex-none max-sm:w-auto">
        <StatusMark status={shownStatus(node)} />
      </span>
      <span className="min-w-0 truncate font-medium">{node.step_ref}</span>
      <span className="flex items-center gap-1 text-ink-3 text-xs">
        <Icon size={13} aria-hidden="true" /> {label}
      </span>
      {isCritical && <span className="text-accent text-xs">critical path</span>}
      {after.length > 0 && (
        <span className="min-w-0 max-w-full truncate text-ink-3 text-xs max-sm:hidden">after {after.join(", ")}</span>
      )}
      <span className="ml-auto flex min-w-0 items-center gap-3 pl-2">
        {node.error && (
          <span className="min-w-0 max-w-72 truncate text-failed-ink text-xs max-sm:max-w-48">
            {node.error.message}
          </span>
        )}
        {until ? <Countdown until={until} /> : <Duration from={node.started_at} to={node.finished_at} />}
      </span>
    </div>
  );
}
