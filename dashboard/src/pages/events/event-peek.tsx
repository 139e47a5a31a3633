import type { EventTrigger } from "@millrace/contract/events/events";
import { useState } from "react";
import { useDisabledReason } from "../../api/me.ts";
import { useChange } from "../../api/use-api.ts";
import { Actor } from "../../parts/actor.tsx";
import { AsCode } from "../../parts/code/as-code.tsx";
import { CopyButton } from "../../parts/code/copy-button.tsx";
import { Json } from "../../parts/code/json.tsx";
import { Facts, Section } from "../../parts/facts.tsx";
import { Button } from "../../parts/form/button.tsx";
import { Id } from "../../parts/id.tsx";
import { ConfirmDialog } from "../../parts/overlay/confirm-dialog.tsx";
import { Countdown } from "../../parts/state/countdown.tsx";
import { StatusMark } from "../../parts/state/status-mark.tsx";
import { Time } from "../../parts/time.tsx";
import { usePlace } from "../../shell/place/place.ts";
import { sendCode } from "../shared-events/send-code.ts";
import { SendEvent } from "../shared-events/send-event.tsx";
import { Waiter } from "./event-columns.tsx";

/** Details of a wait in the side panel, with its actions. */
export function EventPeek({ trigger }: { trigger: EventTrigger }) {
  const { at } = usePlace();
  const { status, error } = trigger;
  return (
    <div className="flex flex-col gap-5 p-4">
      {status === "waiting" && <WaitActions trigger={trigger} />}
      <Facts
        facts={[
          ["Status", <StatusMark key="s" status={status} as="badge" />],
          [
            "Key",
            <code key="k" className="break-all font-mono text-xs">
              {trigger.event_key}
            </code>,
          ],
          ["Wait", <Id key="i" value={trigger.id} head={8} tail={12} />],
          ["Waiting run", <Waiter key="w" trigger={trigger} at={at} />],
          ["Requested", <Time key="r" at={trigger.requested_at} />],
          [
            "Remaining",
            status === "waiting" ? (
              <Countdown key="l" until={trigger.expires_at} from={trigger.requested_at} ended="due now" />
            ) : null,
          ],
          ["Finished", trigger.finished_at && <Time key="f" at={trigger.finished_at} />],
          ["Sent by", trigger.sent_by && <Actor key="b" name={trigger.sent_by} id={trigger.sent_by_id} />],
          [
            "Notify URL",
            trigger.notify_url && (
              <code key="n" className="break-all font-mono text-xs">
                {trigger.notify_url}
              </code>
            ),
          ],
          ["Callback", trigger.callback_url && <Callback key="c" url={trigger.callback_url} />],
        ]}
      />
      {error && (
        <Section title="Error">
          <p className="text-ink-2">
            <code className="font-mono text-xs">{error.code}</code> {error.message}{" "}
            {error.by_id && <Id value={error.by_id} copy={false} />}
          </p>
        </Section>
      )}
      {status === "received" && (
        <Section title="Payload">
          <Json value={trigger.payload} />
        </Section>
      )}
    </div>
  );
}

function Callback({ url }: { url: string }) {
  return (
    <span className="flex items-center gap-1">
      <code className="truncate font-mono text-xs">{url}</code>
      <CopyButton text={url} label="Copy callback URL" />
    </span>
  );
}

function WaitActions({ trigger }: { trigger: EventTrigger }) {
  const [openDialog, setOpenDialog] = useState<"send" | "cancel">();
  const noSend = useDisabledReason("events:send");
  const noWrite = useDisabledReason("events:write");
  const isOpen = trigger.wait_kind === "event";
  const cancel = useChange({
    run: (_, send) => send("DELETE", `/v1/events/${encodeURIComponent(trigger.event_key)}`),
    done: "Wait canceled",
    invalidates: ["/v1/events", "/v1/runs", "/v1/workflow-runs"],
  });
  const noKey = isOpen ? undefined : "Events can only be sent to event waits.";
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Button kind="primary" size="small" disabledReason={noSend ?? noKey} onClick={() => setOpenDialog("send")}>
        Send event
      </Button>
      <Button size="small" disabledReason={noWrite} onClick={() => setOpenDialog("cancel")}>
        Cancel wait
      </Button>
      <AsCode about="Send event" code={sendCode(trigger.event_key, {})} />
      {openDialog === "send" && <SendEvent eventKey={trigger.event_key} onClose={() => setOpenDialog(undefined)} />}
      <ConfirmDialog
        open={openDialog === "cancel"}
        danger
        onClose={() => setOpenDialog(undefined)}
        title="Cancel this wait?"
        action="Cancel wait"
        onConfirm={() => cancel.mutateAsync()}
      >
        <p>{consequenceOf(trigger)}</p>
      </ConfirmDialog>
    </div>
  );
}

function consequenceOf({ source_type }: EventTrigger): string {
  if (source_type === "workflow_step")
    return "The step fails. Its on_failure setting decides whether the workflow run fails, skips the dependent steps or continues.";
  return "The waiting run is canceled. You can replay it.";
}
