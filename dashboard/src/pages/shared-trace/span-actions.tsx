import { Send } from "lucide-react";
import { useState } from "react";
import { useDisabledReason } from "../../api/me.ts";
import { Button } from "../../parts/form/button.tsx";
import { Link } from "../../parts/link.tsx";
import { usePlace } from "../../shell/place/place.ts";
import { SendEvent } from "../shared-events/send-event.tsx";
import type { Span } from "./trace-items.ts";

/** The action that ends a waiting span's wait: sending the event, or the decision. */
export function SpanActions({ span: { status, attributes, parent_id } }: { span: Span }) {
  const { at } = usePlace();
  const [isSending, setSending] = useState(false);
  const maySend = useDisabledReason("events:send");
  const { event_key, wait_kind } = attributes;
  if (status === "waiting" && attributes.type === "approval" && parent_id !== null)
    return (
      <Link href={at("approvals", { run: parent_id })} className="font-medium text-accent hover:underline">
        Approve or reject
      </Link>
    );
  if (status !== "waiting" || typeof event_key !== "string" || (wait_kind ?? "event") !== "event") return null;
  return (
    <div>
      <Button
        kind="primary"
        size="small"
        icon={<Send size={13} />}
        disabledReason={maySend}
        onClick={() => setSending(true)}
      >
        Send event
      </Button>
      {isSending && <SendEvent eventKey={event_key} onClose={() => setSending(false)} />}
    </div>
  );
}
