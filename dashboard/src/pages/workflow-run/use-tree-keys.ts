import { type KeyboardEvent, useRef, useState } from "react";
import type { Stage } from "./tree-stages.ts";

/** Open items and focus of the tree; arrow keys work as in any tree. */
export function useTreeKeys(stages: Stage[], selected: string | undefined, onSelect: (id: string) => void) {
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const [active, setActive] = useState<string>();
  const tree = useRef<HTMLDivElement>(null);
  const ids = stages.flatMap(({ id, nodes }) => [id, ...(closed.has(id) ? [] : nodes.map(({ step_ref }) => step_ref))]);
  const current = [active, selected, ids[0]].find((id) => id !== undefined && ids.includes(id)) ?? "";
  const open = (id: string, isOpen: boolean) => {
    const others = [...closed].filter((each) => each !== id);
    setClosed(new Set(isOpen ? others : [...others, id]));
  };
  const focus = (id: string | undefined) => {
    if (id === undefined) return;
    setActive(id);
    tree.current?.querySelector<HTMLElement>(`[data-item="${CSS.escape(id)}"]`)?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const place = ids.indexOf(current);
    const isStage = stages.some(({ id }) => id === current);
    const above = stages.find(({ nodes }) => nodes.some(({ step_ref }) => step_ref === current))?.id;
    const acts: Record<string, () => void> = {
      ArrowDown: () => focus(ids[place + 1]),
      ArrowUp: () => focus(ids[place - 1]),
      Home: () => focus(ids[0]),
      End: () => focus(ids.at(-1)),
      ArrowRight: () => isStage && open(current, true),
      ArrowLeft: () => (isStage ? open(current, false) : focus(above)),
      Enter: () => (isStage ? open(current, closed.has(current)) : onSelect(current)),
    };
    const act = acts[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  };
  return { tree, closed, current, open, setActive, onKeyDown };
}
