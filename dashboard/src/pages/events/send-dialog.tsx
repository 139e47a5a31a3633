import type { EventPrefixSent } from "@millrace/contract/events/events";
import { useState } from "react";
import { useChange } from "../../api/use-api.ts";
import { JsonEditor, readJson } from "../../parts/code/json-editor.tsx";
import { Button } from "../../parts/form/button.tsx";
import { TextField } from "../../parts/form/text-field.tsx";
import { useSubmit } from "../../parts/form/use-submit.ts";
import { plural } from "../../parts/format.ts";
import { Dialog } from "../../parts/overlay/dialog.tsx";
import { toast } from "../../parts/overlay/toasts.tsx";
import { ErrorState } from "../../parts/state/error-state.tsx";
import { invalidJson } from "../../parts/state/messages.ts";
import { Segments } from "../../parts/tabs.tsx";
import { keyIssue } from "./check-key.ts";

type Mode = "exact" | "prefix";
const MODES: { id: Mode; label: string }[] = [
  { id: "exact", label: "Exact key" },
  { id: "prefix", label: "Key prefix" },
];

/** Sends an event to one key, or to a key prefix after a preview of the recipients. */
export function SendDialog({ onClose }: { onClose: () => void }) {
  const [mode, setMode] = useState<Mode>("exact");
  const [key, setKey] = useState("");
  const [text, setText] = useState("{}");
  const [preview, setPreview] = useState<{ key: string; found: EventPrefixSent }>();
  const read = readJson(text);
  const issue = keyIssue(key);
  const payload = read.ok ? read.value : undefined;
  const name = encodeURIComponent(key);
  const send = useChange<boolean, EventPrefixSent | object>({
    run: (isDry, sendNow) =>
      mode === "exact"
        ? sendNow("POST", `/v1/events/${name}/send`, { payload })
        : sendNow("POST", `/v1/events/prefix/${name}/send`, { payload, dry_run: isDry }),
    invalidates: ["/v1/events", "/v1/runs"],
  });
  const isPreviewed = mode === "exact" || preview?.key === key;
  const {
    error,
    isBusy,
    send: submit,
  } = useSubmit(async () => {
    const response = await send.mutateAsync(!isPreviewed);
    if (!isPreviewed) return setPreview({ key, found: response as EventPrefixSent });
    toast({
      title: mode === "exact" ? "Event sent" : `Sent to ${plural((response as EventPrefixSent).resolved, "wait")}`,
    });
    onClose();
  });
  const found = mode === "prefix" && preview?.key === key ? preview.found : undefined;
  return (
    <Dialog
      open
      onClose={onClose}
      title="Send event"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind="primary"
            busy={isBusy}
            disabledReason={disabledReasonOf(issue, read.ok, found)}
            onClick={() => void submit()}
          >
            {actionOf(mode, found)}
          </Button>
        </>
      }
    >
      <div>
        <Segments label="Recipients" value={mode} options={MODES} onChange={setMode} />
      </div>
      <TextField
        label={mode === "exact" ? "Key" : "Key prefix"}
        error={key === "" ? undefined : issue}
        mono
        value={key}
        autoComplete="off"
        spellCheck={false}
        onChange={setKey}
      />
      <JsonEditor label="Payload" value={text} onChange={setText} rows={6} />
      {found && <Preview found={found} />}
      {error !== undefined && <ErrorState error={error} as="banner" />}
    </Dialog>
  );
}

function disabledReasonOf(
  issue: string | undefined,
  isJson: boolean,
  found: EventPrefixSent | undefined,
): string | undefined {
  if (issue !== undefined) return issue;
  if (!isJson) return invalidJson("payload");
  return found?.resolved === 0 && found.canceled_runs === 0 ? "No wait matches this key prefix." : undefined;
}

function actionOf(mode: Mode, found: EventPrefixSent | undefined): string {
  if (mode === "exact") return "Send event";
  return found ? `Send to ${plural(found.resolved, "wait")}` : "Preview recipients";
}

function Preview({ found }: { found: EventPrefixSent }) {
  const more = found.resolved - found.triggers.length;
  return (
    <section aria-label="Recipients" className="flex flex-col gap-2">
      <p className="font-medium">
        {plural(found.resolved, "wait")} will receive the event
        {found.canceled_runs > 0 && `, and ${plural(found.canceled_runs, "run")} will be canceled through cancel_on`}
      </p>
      <ul className="max-h-48 overflow-y-auto rounded-sm border">
        {found.triggers.map(({ id, event_key }) => (
          <li key={id} className="truncate border-b px-3 py-1 font-mono text-xs last:border-0">
            {event_key}
          </li>
        ))}
        {more > 0 && <li className="px-3 py-1 text-ink-3 text-xs">and {more} more</li>}
      </ul>
    </section>
  );
}
