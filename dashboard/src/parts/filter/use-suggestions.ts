import { type KeyboardEvent, useRef, useState } from "react";
import { placeOfCaret, type Suggestion, type Suggestions } from "../code/json-suggestions.tsx";

export type Suggest = (text: string, caret: number) => Suggestions | undefined;
type Shown = Suggestions & { chosen: number; place: { top: number; left: number } };

/** Shows completions while typing between quotes, and anywhere with Ctrl+Space. */
export function useSuggestions(suggest: Suggest | undefined, onChange: (text: string) => void) {
  const field = useRef<HTMLTextAreaElement>(null);
  const [shown, setShown] = useState<Shown>();
  const close = () => setShown(undefined);
  const look = (isExplicit: boolean) => {
    const node = field.current;
    const found = node ? suggest?.(node.value, node.selectionStart) : undefined;
    const isWriting = found !== undefined && node?.value[found.from] === '"';
    if (!node || !found || found.options.length === 0 || !(isExplicit || isWriting)) return close();
    setShown({ ...found, chosen: 0, place: placeOfCaret(node) });
  };
  const pick = ({ insert }: Suggestion) => {
    const node = field.current;
    if (!node || !shown) return;
    const caret = shown.from + insert.length;
    onChange(node.value.slice(0, shown.from) + insert + node.value.slice(shown.to));
    close();
    requestAnimationFrame(() => node.setSelectionRange(caret, caret));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === " " && event.ctrlKey) {
      event.preventDefault();
      return look(true);
    }
    if (!shown) return;
    const { options, chosen } = shown;
    const option = options[chosen];
    if (event.key === "ArrowDown") setShown({ ...shown, chosen: (chosen + 1) % options.length });
    else if (event.key === "ArrowUp") setShown({ ...shown, chosen: (chosen + options.length - 1) % options.length });
    else if ((event.key === "Enter" || event.key === "Tab") && option) pick(option);
    else if (event.key === "Escape") close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return { field, shown, pick, onKeyDown, close, look: () => look(false) };
}
