import { Braces } from "lucide-react";
import { useId } from "react";
import { type Suggest, useSuggestions } from "../filter/use-suggestions.ts";
import { IconButton } from "../form/icon-button.tsx";
import { SuggestionList } from "./json-suggestions.tsx";

export type JsonRead = { ok: true; value: unknown } | { ok: false; message: string };

/** Parses the editor text. Empty text is `{}`. */
export function readJson(text: string): JsonRead {
  if (text.trim() === "") return { ok: true, value: {} };
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch (error) {
    return { ok: false, message: placeOf(text, String((error as Error).message)) };
  }
}

export function printJson(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? "";
}

type Props = {
  label: string;
  value: string;
  onChange: (text: string) => void;
  /** Issues of valid JSON, for example from its schema. */
  issues?: { location: string; message: string }[] | undefined;
  rows?: number;
  /** Completions at the caret, for example field names of a schema. */
  suggest?: Suggest | undefined;
};

/** JSON editor that shows syntax errors and issues. */
export function JsonEditor({ label, value, onChange, issues = [], rows = 12, suggest }: Props) {
  const id = useId();
  const { field, shown, pick, onKeyDown, close, look } = useSuggestions(suggest, onChange);
  const read = readJson(value);
  const isBad = !read.ok || issues.length > 0;
  return (
    <div className="relative flex flex-col gap-1.5">
      <div className="flex min-h-6 items-center justify-between gap-2">
        <label htmlFor={id} className="font-medium text-xs">
          {label}
        </label>
        <IconButton
          label="Format"
          size="small"
          icon={<Braces size={14} />}
          disabled={!read.ok}
          onClick={() => read.ok && onChange(printJson(read.value))}
        />
      </div>
      <textarea
        id={id}
        rows={rows}
        spellCheck={false}
        autoComplete="off"
        value={value}
        aria-invalid={isBad || undefined}
        aria-describedby={isBad ? `${id}-description` : undefined}
        ref={field}
        aria-autocomplete={suggest ? "list" : undefined}
        aria-controls={shown ? `${id}-offered` : undefined}
        aria-activedescendant={shown ? `${id}-offered-${shown.chosen}` : undefined}
        onChange={(event) => {
          onChange(event.target.value);
          look();
        }}
        onKeyDown={onKeyDown}
        onClick={close}
        onBlur={close}
        className="field h-auto resize-y whitespace-pre py-2 font-mono text-xs leading-5"
      />
      {shown && <SuggestionList id={`${id}-offered`} {...shown} onPick={pick} />}
      {isBad && (
        <ul id={`${id}-description`} className="flex flex-col gap-0.5 text-failed-ink text-xs" aria-live="polite">
          {!read.ok && <li>{read.message}</li>}
          {issues.map(({ location, message }) => (
            <li key={`${location} ${message}`}>
              <code className="font-mono">{location}</code> {message}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** Browsers report a position, some with line and column; users need lines. */
function placeOf(text: string, message: string): string {
  const [, position] = /position (\d+)/.exec(message) ?? [];
  if (position === undefined) return `Invalid JSON: ${message}.`;
  const before = text.slice(0, Number(position)).split("\n");
  return `Invalid JSON at line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}.`;
}
