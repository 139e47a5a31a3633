import { type ReactNode, useState } from "react";
import { Button } from "../form/button.tsx";
import { useSubmit } from "../form/use-submit.ts";
import { Dialog } from "../overlay/dialog.tsx";
import { ErrorState } from "../state/error-state.tsx";
import { invalidJson, schemaMismatch } from "../state/messages.ts";
import { JsonEditor, readJson } from "./json-editor.tsx";
import type { Suggest } from "./suggestions.ts";

/** The editor content; its value is undefined while it is not valid JSON. */
type Written = { text: string; value: unknown };

type Props = {
  title: string;
  description?: ReactNode;
  width?: "normal" | "wide";
  /** What the JSON is, for example "Payload". */
  label: string;
  first: string;
  rows: number;
  action: string | ((written: Written) => string);
  /** Issues of valid JSON, for example from a schema. */
  issuesOf?: (value: unknown) => { location: string; message: string }[];
  /** Completions at the caret. */
  suggest?: Suggest;
  /** Submits and closes the dialog. On failure it stays open with the error. */
  onSend: (value: unknown) => Promise<unknown>;
  onClose: () => void;
  /** Below the editor. */
  children?: (written: Written) => ReactNode;
  /** Replaces the default error. */
  renderError?: (error: unknown, written: Written) => ReactNode;
};

/** A dialog to edit and send JSON. */
export function JsonDialog({ title, description, width = "normal", onClose, onSend, ...props }: Props) {
  const [text, setText] = useState(props.first);
  const { error, isBusy, send } = useSubmit(onSend);
  const read = readJson(text);
  const written = { text, value: read.ok ? read.value : undefined };
  const issues = read.ok ? (props.issuesOf?.(read.value) ?? []) : [];
  const { action, renderError = (issue) => <ErrorState error={issue} as="banner" /> } = props;
  return (
    <Dialog
      open
      onClose={onClose}
      title={title}
      description={description}
      width={width}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind="primary"
            busy={isBusy}
            disabledReason={disabledReasonOf(props.label, read.ok, issues.length)}
            onClick={() => void send(written.value)}
          >
            {typeof action === "string" ? action : action(written)}
          </Button>
        </>
      }
    >
      <JsonEditor
        label={props.label}
        value={text}
        onChange={setText}
        rows={props.rows}
        issues={issues}
        suggest={props.suggest}
        autoFocus
      />
      {props.children?.(written)}
      {error !== undefined && renderError(error, written)}
    </Dialog>
  );
}

function disabledReasonOf(label: string, isJson: boolean, issues: number): string | undefined {
  if (!isJson) return invalidJson(label);
  return issues > 0 ? schemaMismatch(label) : undefined;
}
