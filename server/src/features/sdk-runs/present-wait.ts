import type { EventTrigger } from "@millrace/contract/events";
import type { TriggerRow } from "../../flow/waits/read-trigger.ts";
import { callbackUrl } from "../../platform/access/credentials/callback-token.ts";
import type { RunCtx } from "../../platform/context.ts";

/** The waiting run can pass its callback URL to the sender of the event. */
export function presentWait(ctx: RunCtx, trigger: TriggerRow): EventTrigger {
  const { project_id, id: trigger_id, status, wait_kind } = trigger;
  const isOpen = status === "waiting" && wait_kind === "event";
  return { ...trigger, message: null, callback_url: isOpen ? callbackUrl(ctx, { project_id, trigger_id }) : null };
}
