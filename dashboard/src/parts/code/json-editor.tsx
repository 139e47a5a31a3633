import { Braces } from "lucide-react";
import { useMemo } from "react";
import { IconButton } from "../form/icon-button.tsx";
import { CodeEditor } from "./editor/code-editor.tsx";
import type { Suggest } from "./suggestions.ts";

export type JsonRead = { ok: true; value: unknown } | { ok: false; message: string; at?: number };

/** Parses the editor text. Empty text is `{}`. */
export function readJson(text: string): JsonRead {
  if (text.trim() === "") return { ok: true, value: {} };
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch (error) {
    return { ok: false, ...placeOf(text, String((error as Error).message)) };
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
  autoFocus?: boolean;
};

/** JSON editor that shows syntax errors and issues. */
export function JsonEditor({ label, value, onChange, issues, ...props }: Props) {
  const read = useMemo(() => readJson(value), [value]);
  const all = useMemo(() => (read.ok ? issues : [syntaxIssue(read)]), [read, issues]);
  return (
    <CodeEditor
      label={label}
      language="json"
      value={value}
      onChange={onChange}
      issues={all}
      actions={
        <IconButton
          label="Format"
          size="small"
          icon={<Braces size={14} />}
          disabled={!read.ok}
          onClick={() => read.ok && onChange(printJson(read.value))}
        />
      }
      {...props}
    />
  );
}

function syntaxIssue({ message, at }: { message: string; at?: number }) {
  return { location: "", message, ...(at !== undefined && { from: at, to: at + 1 }) };
}

/** Browsers report a position, some with line and column; users need lines. */
function placeOf(text: string, message: string): { message: string; at?: number } {
  const [, position] = /position (\d+)/.exec(message) ?? [];
  if (position === undefined) return { message: `Invalid JSON: ${message}.` };
  const before = text.slice(0, Number(position)).split("\n");
  return {
    message: `Invalid JSON at line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}.`,
    at: Number(position),
  };
}
