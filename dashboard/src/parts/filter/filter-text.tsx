import type { KeyboardEvent, Ref } from "react";
import { useRef } from "react";

type Span = { start: number; end: number };

type Props = {
  ref: Ref<HTMLInputElement>;
  value: string;
  issues: Span[];
  placeholder: string;
  listId: string;
  isOpen: boolean;
  active: string | undefined;
  onChange: (text: string) => void;
  onFocus: () => void;
  onBlur: () => void;
  onKeyDown: (event: KeyboardEvent) => void;
};

/** A text field with underlined errors: a copy of the text behind it carries the underlines. */
export function FilterText({ ref, value, issues, placeholder, listId, isOpen, active, onChange, ...handlers }: Props) {
  const behind = useRef<HTMLDivElement>(null);
  return (
    <div className="relative min-w-32 flex-1">
      <div
        ref={behind}
        aria-hidden="true"
        className="pointer-events-none absolute inset-0 overflow-hidden whitespace-pre font-mono text-transparent text-xs leading-6 pointer-coarse:text-lg"
      >
        {partsOf(value, issues).map(({ text, isIssue, start }) => (
          <span key={start} className={isIssue ? "underline decoration-failed decoration-wavy underline-offset-2" : ""}>
            {text}
          </span>
        ))}
      </div>
      <input
        ref={ref}
        role="combobox"
        aria-label="Filter"
        aria-expanded={isOpen}
        aria-controls={listId}
        aria-activedescendant={active}
        aria-invalid={issues.length > 0 || undefined}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        value={value}
        placeholder={placeholder}
        onChange={(event) => onChange(event.target.value)}
        onScroll={(event) => {
          if (behind.current) behind.current.scrollLeft = event.currentTarget.scrollLeft;
        }}
        {...handlers}
        className="relative h-6 w-full bg-transparent p-0 font-mono text-xs outline-none placeholder:font-sans placeholder:text-sm pointer-coarse:text-lg pointer-coarse:placeholder:text-lg"
      />
    </div>
  );
}

function partsOf(text: string, issues: Span[]): { text: string; isIssue: boolean; start: number }[] {
  const edges = [0, ...issues.flatMap(({ start, end }) => [start, end]), text.length];
  return edges.slice(0, -1).flatMap((start, nth) => {
    const part = text.slice(start, edges[nth + 1]);
    return part === "" ? [] : [{ text: part, isIssue: nth % 2 === 1, start }];
  });
}
