import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import { cx } from "../../class-names.ts";
import { useLatest } from "../../use-latest.ts";
import type { Editor, EditorOptions, Issue } from "./create-editor.ts";

export type CodeEditorProps = Pick<EditorOptions, "language" | "suggest" | "placeholder" | "isReadOnly"> & {
  label: string;
  value: string;
  onChange: (text: string) => void;
  /** Listed below the editor, and underlined if their location is found in the text. */
  issues?: readonly Issue[] | undefined;
  rows?: number;
  hint?: ReactNode;
  /** Next to the label. */
  actions?: ReactNode;
  autoFocus?: boolean;
  /** The label is only read aloud. */
  isLabelHidden?: boolean;
};

const [LINE_PX, EDGE_PX] = [20, 14];
const NONE: readonly Issue[] = [];

/** The one editor for JSON, YAML, expressions and templates. Its code loads on first use. */
export function CodeEditor({ label, value, issues = NONE, rows = 12, hint, actions, ...props }: CodeEditorProps) {
  const id = useId();
  const [box, editor] = useEditor({ ...props, value, issues }, id);
  const isBad = issues.length > 0;
  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      <div
        className={cx(
          "flex items-center justify-between gap-2",
          actions !== undefined && "min-h-6",
          props.isLabelHidden && "sr-only",
        )}
      >
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: Tab reaches the editor itself */}
        {/* biome-ignore lint/a11y/noStaticElementInteractions: a label, as for a native field */}
        <span id={`${id}-label`} className="font-medium text-xs" onClick={() => editor.current?.focus()}>
          {label}
        </span>
        {actions}
      </div>
      <div
        ref={box}
        data-editor={props.language}
        className={cx(
          "min-w-0 rounded-sm border border-border-strong bg-bg focus-within:outline-2 focus-within:-outline-offset-1 focus-within:outline-accent",
          isBad && "border-failed",
        )}
        style={{ minHeight: rows * LINE_PX + EDGE_PX }}
      />
      <div id={`${id}-description`} className="flex flex-col gap-1 text-xs empty:hidden">
        {isBad && <IssueList issues={issues} />}
        {hint && <p className="text-ink-3">{hint}</p>}
      </div>
    </div>
  );
}

function IssueList({ issues }: { issues: readonly Issue[] }) {
  return (
    <ul className="flex flex-col gap-0.5 text-failed-ink" aria-live="polite">
      {issues.map(({ location, message }) => (
        <li key={`${location} ${message}`}>
          {location && <code className="font-mono">{location}</code>} {message}
        </li>
      ))}
    </ul>
  );
}

type Wanted = Omit<CodeEditorProps, "label" | "rows" | "hint" | "actions"> & { issues: readonly Issue[] };

/** Creates the editor once; later changes of text and issues are applied to it. */
function useEditor(wanted: Wanted, id: string) {
  const box = useRef<HTMLDivElement>(null);
  const editor = useRef<Editor>(undefined);
  const latest = useLatest(wanted);
  const [isReady, setReady] = useState(false);
  useEffect(() => {
    let isGone = false;
    void import("./create-editor.ts").then(({ createEditor }) => {
      if (isGone || !box.current) return;
      const { language, placeholder, isReadOnly, autoFocus, value } = latest.current;
      editor.current = createEditor(box.current, {
        ...{ language, placeholder, isReadOnly, autoFocus },
        text: value,
        labelId: `${id}-label`,
        descriptionId: `${id}-description`,
        suggest: (text, caret) => latest.current.suggest?.(text, caret),
        onChange: (text) => latest.current.onChange(text),
      });
      setReady(true);
    });
    return () => {
      isGone = true;
      editor.current?.destroy();
      editor.current = undefined;
    };
  }, [id, latest]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: again once the editor is there
  useEffect(() => editor.current?.setText(wanted.value), [wanted.value, isReady]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: again once the editor is there
  useEffect(() => editor.current?.setIssues(wanted.issues), [wanted.issues, wanted.value, isReady]);
  return [box, editor] as const;
}
