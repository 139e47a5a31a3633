import { useState } from "react";
import { asProblem } from "../../api/problem.ts";
import { CodeEditor } from "../../parts/code/editor/code-editor.tsx";
import { Button } from "../../parts/form/button.tsx";
import { FormField } from "../../parts/form/form-field.tsx";
import { plural } from "../../parts/format.ts";
import { parseVariables } from "./parse-variables.ts";

/** Reads a .env file, pasted or chosen, into the variables of a form. */
export function ImportVariables({ onImport }: { onImport: (variables: Record<string, string>) => void }) {
  const [text, setText] = useState("");
  const read = readEnv(text);
  const count = Object.keys(read.variables).length;
  const add = () => {
    onImport(read.variables);
    setText("");
  };
  return (
    <details className="rounded-sm border px-3 py-2">
      <summary className="cursor-pointer font-medium text-xs">Import a .env file</summary>
      <div className="mt-3 flex flex-col gap-3">
        <FormField label="File">
          {(ids) => (
            <input
              {...ids}
              type="file"
              className="text-ink-2 text-xs file:mr-3 file:h-8 file:cursor-pointer file:rounded-sm file:border file:border-border file:bg-bg file:px-3 file:font-medium file:text-ink file:text-sm"
              onChange={(event) => void event.target.files?.[0]?.text().then(setText)}
            />
          )}
        </FormField>
        <CodeEditor
          label=".env"
          language="env"
          rows={5}
          value={text}
          onChange={setText}
          placeholder="NAME=value"
          hint="One NAME=value per line. Variables with the same name are replaced."
          issues={read.issues}
        />
        <div>
          <Button size="small" disabledReason={disabledReasonOf(text, read.issues.length)} onClick={add}>
            {count === 0 ? "Import variables" : `Import ${plural(count, "variable")}`}
          </Button>
        </div>
      </div>
    </details>
  );
}

function readEnv(text: string) {
  try {
    return { variables: parseVariables(text), issues: [] };
  } catch (error) {
    const { title, detail } = asProblem(error);
    return { variables: {}, issues: [{ location: "", message: `${title}. ${detail}` }] };
  }
}

function disabledReasonOf(text: string, issues: number): string | undefined {
  if (text.trim() === "") return "Paste or choose a file first.";
  return issues > 0 ? "The text is not valid." : undefined;
}
