import { parseQuery } from "@millrace/contract/query-language";
import { readTokens } from "@millrace/contract/query-language-tokens";
import { Search, TextCursorInput, X } from "lucide-react";
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from "react";
import { cx } from "./class-names.ts";
import { suggest } from "./filter-suggestions.ts";
import { FilterText } from "./filter-text.tsx";
import { IconButton } from "./icon-button.tsx";
import { KeyHint } from "./key-hint.tsx";
import { useShortcut } from "./use-shortcut.ts";

type Props = {
  /** The query as it stands in the address. */
  value: string;
  onChange: (query: string) => void;
  /** What the page knows for suggestions: `{ job: ["send-mail"], payload: ["user.id"] }`. */
  known?: Record<string, readonly string[]>;
  placeholder?: string;
};

/** Chips and raw text are two renderings of the same query. What cannot be read is underlined where it stands. */
export function FilterBar({
  value,
  onChange,
  known,
  placeholder = "Filter: status:failed job:send-mail payload.user.id:42",
}: Props) {
  const [isRaw, setRaw] = useState(false);
  const [draft, setDraft] = useState("");
  const [nth, setNth] = useState(-1);
  const [isOpen, setOpen] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const listId = useId();
  useShortcut("/", () => input.current?.focus());
  useEffect(() => setDraft(isRaw ? value : ""), [isRaw, value]);

  const text = isRaw ? draft : [value, draft].filter(Boolean).join(" ");
  const faults = useMemo(() => faultsOf(text), [text]);
  const word = draft.slice(draft.lastIndexOf(" ") + 1);
  const choices = isOpen ? suggest(word, known).slice(0, 9) : [];

  const commit = (added = draft) => {
    setOpen(false);
    setNth(-1);
    const next = (isRaw ? added : [value, added.trim()].filter(Boolean).join(" ")).trim();
    if (next === value || faultsOf(next).length > 0) return;
    setDraft(isRaw ? next : "");
    onChange(next);
  };
  const choose = (chosen: string) => {
    const next = `${draft.slice(0, draft.length - word.length)}${chosen}`;
    setDraft(next);
    setNth(-1);
    if (!/[:.]$/.test(chosen) && !isRaw) commit(next);
    input.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const chosen = choices[nth];
    if (event.key === "Enter") chosen ? choose(chosen.text) : commit();
    else if (event.key === "Tab" && chosen) choose(chosen.text);
    else if (event.key === "ArrowDown" && choices.length > 0) setNth((nth + 1) % choices.length);
    else if (event.key === "ArrowUp" && choices.length > 0) setNth(((nth + choices.length) % (choices.length + 1)) - 1);
    else if (event.key === "Escape") isOpen && choices.length > 0 ? setOpen(false) : input.current?.blur();
    else if (event.key === "Backspace" && draft === "" && !isRaw) onChange(withoutLast(value));
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div className="relative min-w-0 flex-1">
      <div
        className={cx(
          "flex min-h-8 flex-wrap items-center gap-1 rounded-sm border border-border-strong bg-bg py-[3px] pr-1 pl-2 focus-within:outline-2 focus-within:-outline-offset-1 focus-within:outline-accent",
          faults.length > 0 && "border-failed",
        )}
      >
        <Search size={15} className="mr-1 flex-none text-ink-3" aria-hidden="true" />
        {!isRaw && <Chips query={value} onChange={onChange} />}
        <FilterText
          ref={input}
          value={draft}
          faults={isRaw ? faults : shifted(faults, value)}
          placeholder={value === "" || isRaw ? placeholder : "Add a filter"}
          listId={listId}
          isOpen={choices.length > 0}
          active={nth >= 0 ? `${listId}-${nth}` : undefined}
          onChange={(next) => {
            setDraft(next);
            setOpen(true);
            setNth(-1);
          }}
          onFocus={() => setOpen(true)}
          onBlur={() => {
            setOpen(false);
            commit();
          }}
          onKeyDown={onKeyDown}
        />
        {value === "" && draft === "" && (
          <span className="mr-1 max-sm:hidden">
            <KeyHint keys="/" />
          </span>
        )}
        {value !== "" && (
          <IconButton size="small" label="Clear filter" icon={<X size={14} />} onClick={() => onChange("")} />
        )}
        <IconButton
          size="small"
          label={isRaw ? "Edit as chips" : "Edit as text"}
          pressed={isRaw}
          icon={<TextCursorInput size={14} />}
          onClick={() => setRaw(!isRaw)}
        />
      </div>
      {choices.length > 0 && (
        <div
          id={listId}
          role="listbox"
          aria-label="Suggestions"
          className="floating absolute top-full right-0 left-0 z-30 mt-1 max-w-[480px] animate-appear p-1"
        >
          {choices.map((choice, place) => (
            <div
              key={choice.text}
              id={`${listId}-${place}`}
              role="option"
              tabIndex={-1}
              aria-selected={place === nth}
              onMouseDown={(event) => {
                event.preventDefault();
                choose(choice.text);
              }}
              className={cx(
                "flex h-7 cursor-pointer items-center gap-3 rounded-sm px-2 hover:bg-hover",
                place === nth && "bg-hover",
              )}
            >
              <code className="font-mono text-xs">{choice.text}</code>
              <span className="truncate text-ink-3 text-xs">{choice.hint}</span>
            </div>
          ))}
        </div>
      )}
      {faults.length > 0 && choices.length === 0 && (
        <p role="alert" className="mt-1 text-failed-ink text-xs">
          <code className="font-mono">{text.slice(faults[0]?.start, faults[0]?.end)}</code> {faults[0]?.message}
        </p>
      )}
    </div>
  );
}

function Chips({ query, onChange }: { query: string; onChange: (query: string) => void }) {
  const tokens = readTokens(query, () => {});
  const remove = (nth: number) =>
    onChange(
      tokens
        .filter((_, place) => place !== nth)
        .map(({ text }) => text)
        .join(" "),
    );
  return tokens.map(({ text, start, end }, nth) => {
    const fault = faultsOf(query).find((each) => each.start < end && start < each.end);
    return (
      <span
        key={start}
        title={fault?.message ?? text}
        className={cx(
          "inline-flex h-6 max-w-[min(100%,360px)] items-center rounded-xs bg-hover pl-2 font-mono text-xs",
          fault && "underline decoration-failed decoration-wavy",
        )}
      >
        <span className="truncate">{text}</span>
        <button
          type="button"
          aria-label={`Remove ${text}`}
          className="grid size-6 flex-none place-items-center text-ink-3 -outline-offset-2 hover:text-ink"
          onClick={() => remove(nth)}
        >
          <X size={12} aria-hidden="true" />
        </button>
      </span>
    );
  });
}

export function faultsOf(query: string) {
  const parsed = parseQuery(query);
  return parsed.ok ? [] : parsed.faults;
}

function withoutLast(query: string): string {
  return readTokens(query, () => {})
    .slice(0, -1)
    .map(({ text }) => text)
    .join(" ");
}

/** The faults of a draft behind the chips, counted from its own beginning. */
function shifted(faults: ReturnType<typeof faultsOf>, before: string) {
  const offset = before === "" ? 0 : before.length + 1;
  return faults.flatMap((fault) =>
    fault.start >= offset ? [{ ...fault, start: fault.start - offset, end: fault.end - offset }] : [],
  );
}
