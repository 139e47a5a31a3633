import { useCallback } from "react";
import { CodeEditor, type CodeEditorProps } from "../../parts/code/editor/code-editor.tsx";
import { suggestPaths } from "../../parts/code/editor/suggest-paths.ts";

type Props = Pick<CodeEditorProps, "label" | "value" | "onChange" | "hint" | "issues" | "placeholder" | "rows"> & {
  /** Names that the expression can read, for example `event.data.tags`. */
  paths: readonly string[];
  /** `template`: names are completed between `{{` and `}}` only. */
  language?: "cel" | "template";
};

/** A CEL expression or a template, with completion of the names it can read. */
export function CelEditor({ paths, language = "cel", rows = 2, ...props }: Props) {
  const suggest = useCallback(
    (text: string, caret: number) => suggestPaths(text, caret, paths, language),
    [paths, language],
  );
  return <CodeEditor language={language} rows={rows} suggest={suggest} {...props} />;
}
