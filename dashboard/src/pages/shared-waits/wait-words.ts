import type { EventTrigger } from "@millrace/contract/events/events";
import { formatMoment, type Zone } from "../../parts/format.ts";

type Wait = Pick<EventTrigger, "wait_kind" | "event_key" | "expires_at">;

/** What a run waits for, as its status. */
export function waitWords({ wait_kind, event_key, expires_at }: Wait, zone: Zone): string {
  switch (wait_kind) {
    case "approval":
      return "Waiting for approval";
    case "sleep":
      return `Sleeping until ${formatMoment(expires_at, zone)}`;
    case "child":
      return "Waiting for child run";
    default:
      return `Waiting for event ${event_key}`;
  }
}

/** The wait to show: one that a person can end, or else the one that ends next. */
export function mainWait<W extends Wait>(waits: readonly W[]): W | undefined {
  const rank = ({ wait_kind }: Wait) => ["approval", "event", "child", "sleep"].indexOf(wait_kind);
  return [...waits].sort((a, b) => rank(a) - rank(b) || a.expires_at.localeCompare(b.expires_at))[0];
}
