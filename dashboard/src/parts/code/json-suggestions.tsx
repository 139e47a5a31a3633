import { cx } from "../class-names.ts";

/** Completions at the caret, and the text range they replace. */
export type Suggestions = { from: number; to: number; options: Suggestion[] };
export type Suggestion = { label: string; insert: string; hint?: string };

type Props = {
  id: string;
  options: readonly Suggestion[];
  chosen: number;
  /** Caret position in pixels within the editor. */
  place: { top: number; left: number };
  onPick: (option: Suggestion) => void;
};

export function SuggestionList({ id, options, chosen, place, onPick }: Props) {
  return (
    <div
      id={id}
      role="listbox"
      aria-label="Suggestions"
      className="floating absolute z-20 max-h-48 min-w-44 max-w-72 overflow-y-auto p-1"
      style={place}
    >
      {options.map((option, nth) => (
        <div
          key={option.label}
          id={`${id}-${nth}`}
          role="option"
          aria-selected={nth === chosen}
          tabIndex={-1}
          onPointerDown={(event) => {
            event.preventDefault(); // keep the caret in the editor
            onPick(option);
          }}
          className={cx(
            "flex h-7 cursor-pointer items-center gap-3 rounded-sm px-2 font-mono text-xs hover:bg-hover",
            nth === chosen && "bg-hover",
          )}
        >
          <span className="min-w-0 flex-1 truncate">{option.label}</span>
          {option.hint && <span className="font-sans text-ink-3">{option.hint}</span>}
        </div>
      ))}
    </div>
  );
}

const [LINE_PX, LETTER_PX, EDGE_PX, MAX_LEFT_PX] = [20, 7.2, 10, 260];

/** The editor does not wrap and is monospaced, so the position follows from the text. */
export function placeOfCaret(field: HTMLTextAreaElement): Props["place"] {
  const lines = field.value.slice(0, field.selectionStart).split("\n");
  return {
    top: field.offsetTop + lines.length * LINE_PX + EDGE_PX - field.scrollTop,
    left: Math.min(MAX_LEFT_PX, EDGE_PX + (lines.at(-1)?.length ?? 0) * LETTER_PX - field.scrollLeft),
  };
}
