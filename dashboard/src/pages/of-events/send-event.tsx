import type { EventTrigger } from "@millrace/contract/events";
import { useState } from "react";
import { asProblem } from "../../api/problem.ts";
import { useApi, useChange } from "../../api/use-api.ts";
import { Button } from "../../parts/button.tsx";
import { CodeBlock } from "../../parts/code-block.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Diff } from "../../parts/diff.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { JsonEditor, readJson } from "../../parts/json-editor.tsx";
import { toast } from "../../parts/toasts.tsx";
import { sendCode } from "./send-code.ts";

type Props = {
  eventKey: string;
  /** The wait has received its event: an equal payload is no news, another one is refused. */
  isReceived?: boolean;
  onClose: () => void;
  onSent?: (trigger: EventTrigger) => void;
};

/** Sends one event to a key that somebody waits for. Says so when it was received before, and with what. */
export function SendEvent({ eventKey, isReceived = false, onClose, onSent }: Props) {
  const [text, setText] = useState("{}");
  const [error, setError] = useState<unknown>();
  const path = `/v1/events/${encodeURIComponent(eventKey)}`;
  const send = useChange<unknown, EventTrigger>({
    run: (payload, sendNow) => sendNow("POST", `${path}/send`, { payload }),
    outdates: ["/v1/events", "/v1/runs", "/v1/workflow-runs"],
  });
  const read = readJson(text);
  const submit = async () => {
    if (!read.ok) return;
    setError(undefined);
    try {
      const trigger = await send.mutateAsync(read.value);
      toast({ title: isReceived ? "It was already received, with the same payload" : "Event received" });
      onSent?.(trigger);
      onClose();
    } catch (fault) {
      setError(fault);
    }
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title="Send event"
      description={<code className="break-all font-mono text-xs">{eventKey}</code>}
      footer={
        <>
          <Button onClick={onClose}>Back</Button>
          <Button
            kind="primary"
            busy={send.isPending}
            refusal={read.ok ? undefined : "The payload is not JSON."}
            onClick={() => void submit()}
          >
            Send event
          </Button>
        </>
      }
    >
      <JsonEditor label="Payload" value={text} onChange={setText} rows={8} />
      {error !== undefined && <Refused error={error} path={path} payload={read.ok ? read.value : undefined} />}
      <details>
        <summary className="cursor-pointer text-ink-2 text-xs">As code</summary>
        <CodeBlock className="mt-2" code={sendCode(eventKey, read.ok ? read.value : {}).curl} />
      </details>
    </Dialog>
  );
}

/** Somebody was first: both payloads beside each other. */
function Refused({ error, path, payload }: { error: unknown; path: string; payload: unknown }) {
  const isTooLate = asProblem(error).code === "event_already_received";
  const { data: before } = useApi<EventTrigger>(path, {}, isTooLate);
  return (
    <>
      <ErrorState error={error} as="banner" />
      {isTooLate && before && <Diff before={before.payload} after={payload} labels={["Received before", "Yours"]} />}
    </>
  );
}
