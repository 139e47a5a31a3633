import type { EventTrigger } from "@millrace/contract/events/events";
import { useState } from "react";
import { useDisabledReason } from "../../api/me.ts";
import { Button } from "../../parts/form/button.tsx";
import { Link } from "../../parts/link.tsx";
import { usePlace } from "../../shell/place/place.ts";
import { SendEvent } from "../shared-events/send-event.tsx";

/** What ends a wait, as a button of its row: an event, or a decision. Sleeps and children end by themselves. */
export function WaitAction({ wait }: { wait: EventTrigger }) {
  const { at } = usePlace();
  const [isSending, setSending] = useState(false);
  const maySend = useDisabledReason("events:send");
  if (wait.wait_kind === "approval" && wait.workflow_run_id !== null)
    return (
      <Link
        href={at("approvals", { run: wait.workflow_run_id })}
        onClick={(event) => event.stopPropagation()}
        className="font-medium text-accent hover:underline"
      >
        Decide
      </Link>
    );
  if (wait.wait_kind !== "event") return null;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: only keeps clicks from opening the row
    // biome-ignore lint/a11y/useKeyWithClickEvents: see above
    <span onClick={(event) => event.stopPropagation()}>
      <Button size="small" disabledReason={maySend} onClick={() => setSending(true)}>
        Send event
      </Button>
      {isSending && <SendEvent eventKey={wait.event_key} onClose={() => setSending(false)} />}
    </span>
  );
}
