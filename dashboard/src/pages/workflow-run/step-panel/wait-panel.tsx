import type { EventTrigger } from "@millrace/contract/events/events";
import type { WorkflowStep } from "@millrace/contract/workflows/workflow-steps";
import { CircleX, Send, Terminal } from "lucide-react";
import { useState } from "react";
import { useDisabledReason } from "../../../api/me.ts";
import { useChange } from "../../../api/use-api.ts";
import { Actor } from "../../../parts/actor.tsx";
import { CopyButton } from "../../../parts/code/copy-button.tsx";
import { copyText } from "../../../parts/code/copy-text.ts";
import { Section } from "../../../parts/facts.tsx";
import { Button } from "../../../parts/form/button.tsx";
import { formatMoment } from "../../../parts/format.ts";
import { ConfirmDialog } from "../../../parts/overlay/confirm-dialog.tsx";
import { toast } from "../../../parts/overlay/toasts.tsx";
import { useSettings } from "../../../parts/settings.ts";
import { Countdown } from "../../../parts/state/countdown.tsx";
import { Time } from "../../../parts/time.tsx";
import { sendCode } from "../../shared-events/send-code.ts";
import { SendEvent } from "../../shared-events/send-event.tsx";
import { effectOf } from "../../shared-workflows/step-kinds.ts";

type Props = { wait: EventTrigger; definition: WorkflowStep | undefined };

/** What a step waits for: an event or a time. */
export function WaitPanel({ wait, definition }: Props) {
  const { zone } = useSettings();
  const isOpen = wait.status === "waiting";
  if (wait.wait_kind === "sleep") {
    return (
      <Section title={isOpen ? "Sleeping until" : "Slept until"}>
        <div className="card flex flex-wrap items-center justify-between gap-2 px-3 py-2.5">
          <time dateTime={wait.expires_at}>{formatMoment(wait.expires_at, zone)}</time>
          {isOpen && <Countdown until={wait.expires_at} from={wait.requested_at} />}
        </div>
      </Section>
    );
  }
  if (wait.wait_kind !== "event") return null;
  return (
    <Section title={isOpen ? "Waiting for event" : "Event"}>
      <div className="card flex flex-col gap-3 px-3 py-2.5">
        <div className="flex items-start gap-1">
          <code className="min-w-0 flex-1 break-all font-mono text-xs leading-6">{wait.event_key}</code>
          <CopyButton text={wait.event_key} label="Copy key" />
        </div>
        {isOpen && (
          <div className="flex items-center justify-between gap-2 text-ink-2 text-xs">
            <span>Expires {formatMoment(wait.expires_at, zone)}</span>
            <Countdown until={wait.expires_at} from={wait.requested_at} />
          </div>
        )}
        {isOpen && definition && (
          <p className="text-ink-2 text-xs">If it times out, the step fails and {effectOf(definition.on_failure)}.</p>
        )}
        {wait.received_at && (
          <p className="text-ink-2 text-xs">
            Received <Time at={wait.received_at} /> from <Actor name={wait.sent_by ?? "unknown"} id={wait.sent_by_id} />
            .
          </p>
        )}
        <WaitActions wait={wait} definition={definition} />
      </div>
    </Section>
  );
}

function WaitActions({ wait, definition }: Props) {
  const [openDialog, setOpenDialog] = useState<"send" | "cancel">();
  const noSend = useDisabledReason("events:send");
  const noCancel = useDisabledReason("events:write");
  const isOpen = wait.status === "waiting";
  const cancel = useChange({
    run: (_, send) => send("DELETE", `/v1/events/${encodeURIComponent(wait.event_key)}`),
    done: "Wait canceled",
    invalidates: ["/v1/events", "/v1/workflow-runs"],
  });
  const copyCurl = () =>
    void copyText(sendCode(wait.event_key, {}).curl).then((ok) => ok && toast({ title: "Command copied" }));
  const close = () => setOpenDialog(undefined);
  return (
    <div className="flex flex-wrap gap-2">
      <Button
        kind={isOpen ? "primary" : "default"}
        size="small"
        icon={<Send size={13} />}
        disabledReason={
          noSend ?? (isOpen || wait.status === "received" ? undefined : `Wait ended: ${wait.status.replace("_", " ")}.`)
        }
        onClick={() => setOpenDialog("send")}
      >
        {isOpen ? "Send event" : "Send again"}
      </Button>
      <Button size="small" icon={<Terminal size={13} />} onClick={copyCurl}>
        Copy curl
      </Button>
      {isOpen && (
        <Button
          size="small"
          icon={<CircleX size={13} />}
          disabledReason={noCancel}
          onClick={() => setOpenDialog("cancel")}
        >
          Cancel wait
        </Button>
      )}
      {openDialog === "send" && (
        <SendEvent eventKey={wait.event_key} isReceived={wait.status === "received"} onClose={close} />
      )}
      <ConfirmDialog
        open={openDialog === "cancel"}
        danger
        onClose={close}
        title="Cancel this wait?"
        action="Cancel wait"
        onConfirm={() => cancel.mutateAsync()}
      >
        <p>
          The step fails as if the wait had timed out
          {definition ? `, and ${effectOf(definition.on_failure)}` : ""}. Events sent to this key later are not
          received.
        </p>
      </ConfirmDialog>
    </div>
  );
}
