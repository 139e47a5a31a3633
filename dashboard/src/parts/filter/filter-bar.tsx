import { Search, TextCursorInput, X } from "lucide-react";
import { useId } from "react";
import { cx } from "../class-names.ts";
import { IconButton } from "../form/icon-button.tsx";
import { KeyHint } from "../overlay/key-hint.tsx";
import { useShortcut } from "../overlay/use-shortcut.ts";
import { FilterChips } from "./filter-chips.tsx";
import { FilterChoices } from "./filter-choices.tsx";
import { FilterText } from "./filter-text.tsx";
import { useFilterDraft } from "./use-filter-draft.ts";

type Props = {
  /** The query in the URL. */
  value: string;
  onChange: (query: string) => void;
  /** Suggestions of the page: `{ job: ["send-mail"], payload: ["user.id"] }`. */
  known?: Record<string, readonly string[]>;
};

const EXAMPLE = "Filter: status:failed job:send-mail payload.user.id:42";

/** Chips and text are two views of one query. Syntax errors are underlined in place. */
export function FilterBar({ value, onChange, known }: Props) {
  const listId = useId();
  const filter = useFilterDraft(value, onChange, known);
  const { isRaw, draft, issues, choices, nth, input } = filter;
  useShortcut("/", () => input.current?.focus());
  return (
    <div className="relative min-w-0 flex-1">
      <div
        className={cx(
          "flex min-h-8 items-center gap-1 rounded-sm border border-border-strong bg-bg py-[3px] pr-1 pl-2 focus-within:outline-2 focus-within:-outline-offset-1 focus-within:outline-accent",
          value !== "" && "flex-wrap",
          issues.length > 0 && "border-failed",
        )}
      >
        <Search size={15} className="mr-1 flex-none text-ink-3" aria-hidden="true" />
        {!isRaw && <FilterChips query={value} onChange={onChange} />}
        <FilterText
          ref={input}
          value={draft}
          issues={filter.draftIssuesOf}
          placeholder={value === "" || isRaw ? EXAMPLE : "Add filter"}
          listId={listId}
          isOpen={choices.length > 0}
          active={nth >= 0 ? `${listId}-${nth}` : undefined}
          onChange={filter.type}
          onFocus={filter.open}
          onBlur={() => filter.commit()}
          onKeyDown={filter.onKeyDown}
        />
        {value === "" && draft === "" && <KeyHintWhenWide />}
        {value !== "" && (
          <IconButton size="small" label="Clear filter" icon={<X size={14} />} onClick={() => onChange("")} />
        )}
        <IconButton
          size="small"
          label={isRaw ? "Edit as chips" : "Edit as text"}
          pressed={isRaw}
          icon={<TextCursorInput size={14} />}
          onClick={() => filter.setRaw(!isRaw)}
        />
      </div>
      <FilterChoices id={listId} choices={choices} nth={nth} onChoose={filter.choose} />
      {choices.length === 0 && <IssueText text={filter.text} issue={issues[0]} />}
    </div>
  );
}

function KeyHintWhenWide() {
  return (
    <span className="mr-1 max-sm:hidden">
      <KeyHint keys="/" />
    </span>
  );
}

type IssueTextProps = { text: string; issue: { start: number; end: number; message: string } | undefined };

function IssueText({ text, issue }: IssueTextProps) {
  if (!issue) return null;
  return (
    <p role="alert" className="mt-1 text-failed-ink text-xs">
      <code className="font-mono">{text.slice(issue.start, issue.end)}</code> {issue.message}
    </p>
  );
}
