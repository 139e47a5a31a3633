import { ChevronDown, ChevronRight } from "lucide-react";
import { Fragment, useMemo } from "react";
import { plural } from "../../parts/format.ts";
import { StepItem } from "./step-tree-item.tsx";
import { treeStages } from "./tree-stages.ts";
import { useTreeKeys } from "./use-tree-keys.ts";
import type { WorkflowRunView } from "./use-workflow-run.ts";

type Props = {
  view: WorkflowRunView;
  refs: ReadonlySet<string>;
  selected: string | undefined;
  onSelect: (id: string) => void;
};

/** The graph for screen readers: stages with the steps that can run in parallel. */
export function StepTree({ view, refs, selected, onSelect }: Props) {
  const stages = useMemo(() => treeStages(view, refs), [view, refs]);
  const { tree, closed, current, open, setActive, onKeyDown } = useTreeKeys(stages, selected, onSelect);
  return (
    <div
      ref={tree}
      role="tree"
      aria-label="Steps"
      onKeyDown={onKeyDown}
      className="h-full overflow-y-auto px-1 py-2 sm:px-2 lg:px-4"
    >
      {stages.map(({ stage, id, nodes }) => (
        <Fragment key={id}>
          <StageItem
            id={id}
            name={`Wave ${stage + 1}`}
            count={nodes.length}
            isOpen={!closed.has(id)}
            isCurrent={current === id}
            onOpen={(isOpen) => open(id, isOpen)}
          />
          {!closed.has(id) &&
            nodes.map((node, nth) => (
              <StepItem
                key={node.step_ref}
                node={node}
                view={view}
                place={[nth + 1, nodes.length]}
                isSelected={node.step_ref === selected}
                isCurrent={node.step_ref === current}
                onSelect={() => {
                  setActive(node.step_ref);
                  onSelect(node.step_ref);
                }}
              />
            ))}
        </Fragment>
      ))}
    </div>
  );
}

type StageProps = {
  id: string;
  name: string;
  count: number;
  isOpen: boolean;
  isCurrent: boolean;
  onOpen: (isOpen: boolean) => void;
};

function StageItem({ id, name, count, isOpen, isCurrent, onOpen }: StageProps) {
  return (
    <div
      role="treeitem"
      aria-level={1}
      aria-selected={false}
      aria-expanded={isOpen}
      tabIndex={isCurrent ? 0 : -1}
      data-item={id}
      onClick={() => onOpen(!isOpen)}
      onKeyDown={(event) => event.key === " " && onOpen(!isOpen)}
      className="flex h-8 cursor-pointer items-center gap-1.5 rounded-sm px-2 text-ink-2 text-xs -outline-offset-2"
    >
      {isOpen ? <ChevronDown size={14} aria-hidden="true" /> : <ChevronRight size={14} aria-hidden="true" />}
      <span className="font-medium">{name}</span>
      <span className="text-ink-3">{plural(count, "step")}</span>
    </div>
  );
}
