import type { EventTrigger } from "@millrace/contract/events/events";
import { asProblem } from "../../api/problem.ts";
import { useApi, useChange } from "../../api/use-api.ts";
import { CodeFold } from "../../parts/code/code-fold.tsx";
import { Diff } from "../../parts/code/diff.tsx";
import { JsonDialog } from "../../parts/code/json-dialog.tsx";
import { toast } from "../../parts/overlay/toasts.tsx";
import { ErrorState } from "../../parts/state/error-state.tsx";
import { sendCode } from "./send-code.ts";

type Props = {
  eventKey: string;
  /** The event was already received: the same payload is idempotent, another one is rejected. */
  isReceived?: boolean;
  onClose: () => void;
  onSent?: (trigger: EventTrigger) => void;
};

/** Sends one event to a key. If it was already received, shows with which payload. */
export function SendEvent({ eventKey, isReceived = false, onClose, onSent }: Props) {
  const path = `/v1/events/${encodeURIComponent(eventKey)}`;
  const { mutateAsync } = useChange<unknown, EventTrigger>({
    run: (payload, send) => send("POST", `${path}/send`, { payload }),
    invalidates: ["/v1/events", "/v1/runs", "/v1/workflow-runs"],
  });
  const send = async (payload: unknown) => {
    const trigger = await mutateAsync(payload);
    toast({ title: isReceived ? "Already received with the same payload" : "Event sent" });
    onSent?.(trigger);
    onClose();
  };
  return (
    <JsonDialog
      title="Send event"
      description={<code className="break-all font-mono text-xs">{eventKey}</code>}
      label="Payload"
      first="{}"
      rows={8}
      action="Send event"
      onSend={send}
      onClose={onClose}
      renderError={(error, { value }) => <PayloadConflict error={error} path={path} payload={value} />}
    >
      {({ value }) => <CodeFold code={sendCode(eventKey, value ?? {}).curl} />}
    </JsonDialog>
  );
}

/** Compares the received payload with the new one. */
function PayloadConflict({ error, path, payload }: { error: unknown; path: string; payload: unknown }) {
  const isTooLate = asProblem(error).code === "event_already_received";
  const { data: before } = useApi<EventTrigger>(path, {}, isTooLate);
  return (
    <>
      <ErrorState error={error} as="banner" />
      {isTooLate && before && (
        <Diff before={before.payload} after={payload} labels={["Already received", "New payload"]} />
      )}
    </>
  );
}
