import type { AuditEvent } from "@millrace/contract/projects/audit-events";
import { CopyButton } from "../../parts/code/copy-button.tsx";
import { Diff } from "../../parts/code/diff.tsx";
import { Json } from "../../parts/code/json.tsx";
import { Facts, Section } from "../../parts/facts.tsx";
import { Id } from "../../parts/id.tsx";
import { Time } from "../../parts/time.tsx";
import { Actor, nameOf } from "./audit-columns.tsx";

/** One event with its state before and after. `onOnly` filters the list by the same object or request. */
export function AuditDetail({
  event,
  onOnly,
}: {
  event: AuditEvent;
  onOnly: (changes: Record<string, string>) => void;
}) {
  const only = (label: string, changes: Record<string, string>) => (
    <button type="button" className="text-accent text-xs hover:underline" onClick={() => onOnly(changes)}>
      {label}
    </button>
  );
  return (
    <div className="flex flex-col gap-5 p-4">
      <Facts
        facts={[
          ["Event", <Id key="i" value={event.id} head={8} tail={12} />],
          ["Actor", <Actor key="w" event={event} />],
          [
            "Object",
            <span key="o" className="flex flex-wrap items-center gap-2">
              <span>
                {event.resource_type.replaceAll("_", " ")} {nameOf(event)}
              </span>
              <Id value={event.resource_id} head={8} tail={8} />
              {only("All events", { resource_id: event.resource_id })}
            </span>,
          ],
          ["Time", <Time key="t" at={event.created_at} />],
          ["IP address", event.ip],
          ["User agent", event.user_agent],
          [
            "Request",
            event.request_id && (
              <span key="r" className="flex items-center gap-2">
                <Id value={event.request_id} head={8} tail={8} />
                {only("All events", { request_id: event.request_id })}
              </span>
            ),
          ],
          ["Chain", event.sealed ? `#${event.chain_no}` : "Pending, sealed within seconds"],
          ["Hash", event.hash && <Id key="h" value={event.hash} head={12} tail={8} />],
        ]}
      />
      <Section title="Change" actions={<CopyButton text={() => location.href} label="Copy link" />}>
        <Change event={event} />
      </Section>
    </div>
  );
}

function Change({ event: { before, after } }: { event: AuditEvent }) {
  if (before !== null && after !== null) return <Diff before={before} after={after} />;
  if (before === null && after === null) return <p className="text-ink-2">No details were recorded.</p>;
  return (
    <>
      <p className="text-ink-2">{after === null ? "Deleted object:" : "Created object:"}</p>
      <Json value={after ?? before} />
    </>
  );
}
